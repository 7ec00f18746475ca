import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'

const service = new URL(process.env.SVC_URL ?? 'http://localhost:8080')
const { request: ask } = await import(service.protocol === 'https:' ? 'node:https' : 'node:http')
const namespace = 'default'

/** What the page may ask with the token of this server, and how. */
const passedOn = {
  '/ofrep/v1/evaluate/flags': 'POST',
  [`/ofrep/v1/namespaces/${namespace}/events`]: 'GET',
}

/** What of the page's own headers goes along; cookies do not. */
const forwarded = ['accept', 'content-type', 'if-none-match', 'last-event-id', 'x-svc-value']

const files = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/out/page.js': ['out/page.js', 'text/javascript; charset=utf-8'],
}

async function answer(request, response) {
  const { pathname, search } = new URL(request.url, 'http://localhost')
  if (passedOn[pathname] === request.method) return passOn(request, response, pathname + search)
  const file = files[pathname]
  if (file === undefined) return response.writeHead(404).end()
  const body = await readFile(new URL(file[0], import.meta.url))
  response.writeHead(200, { 'content-type': file[1] }).end(body)
}

/** Passes a request on, and the answer back as it comes: events are a stream. */
function passOn(request, response, path) {
  const { method, headers } = request
  const own = forwarded.filter((name) => name in headers).map((name) => [name, headers[name]])
  const options = {
    method,
    headers: {
      ...Object.fromEntries(own),
      authorization: `Bearer ${process.env.SVC_TOKEN}`,
      'x-svc-namespace': namespace,
    },
  }
  const onward = ask(new URL(path, service), options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    pipeline(answer, response, () => {})
  })
  onward.on('error', () => fail(response))
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

function fail(response) {
  if (response.headersSent) response.destroy()
  else response.writeHead(502).end()
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error.message)
    fail(response)
  })
})
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`ready: http://localhost:${server.address().port}`)
})
