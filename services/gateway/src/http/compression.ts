import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** From here on an answer is compressed, for those who accept it: less is one packet anyway. */
export const compressedFromBytes = 1024

/**
 * Answers about credentials are left as they are: the size of a compressed answer tells of the
 * secrets in it.
 */
export async function addCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/auth/')) route.compress = false
  })
  await app.register(compress, {
    globalDecompression: false,
    threshold: compressedFromBytes,
    encodings: ['gzip', 'deflate'],
  })
}
