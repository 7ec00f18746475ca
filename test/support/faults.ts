import type { IncomingMessage, ServerResponse } from 'node:http'

// What a service that others depend on may do when it is asked for something.

/** Answers a request in its own way. */
export type ServerFault = (request: IncomingMessage, response: ServerResponse) => void

/** Answers with a status and a text. */
export function says(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): ServerFault {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}

/** Sends the caller elsewhere. */
export function redirects(location: string): ServerFault {
  return says(302, '', { location })
}

/** Takes the request and says nothing. */
export const hangs: ServerFault = (request, _response) => {
  request.resume()
}

/** Ends the connection without an answer. */
export const hangsUp: ServerFault = (request) => {
  request.socket.destroy()
}

/** Sends a little now and then, without end. */
export const drips: ServerFault = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}

/** Sends more than any caller accepts. */
export const floods: ServerFault = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const block = Buffer.alloc(65_536, ' ')
  const more = () => {
    for (let i = 0; i < 1000 && response.write(block); i += 1);
  }
  response.on('drain', more)
  more()
}

/** Ends the connection in the middle of the answer. */
export const breaksOff: ServerFault = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"access_token":')
  setTimeout(() => response.destroy(), 20)
}
