import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Minimum bytes of an answer that is compressed, for clients that accept it: less is one packet anyway. */
export const compressedFromBytes = 1024

/**
 * Longest `Accept-Encoding` that is read, in bytes; browsers send some 30. To parse a long one costs more
 * than all the rest of a request, so it counts as absent.
 */
const maxAcceptEncoding = 256

/** Compresses answers, where their route does not say otherwise. */
export async function addCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const { 'accept-encoding': accepted = '' } = headers
    if (accepted.length > maxAcceptEncoding) delete headers['accept-encoding']
    done()
  })
  await app.register(compress, {
    globalDecompression: false,
    threshold: compressedFromBytes,
    encodings: ['gzip', 'deflate'],
  })
}
