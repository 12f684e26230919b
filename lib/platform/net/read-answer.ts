import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { fetchError } from './fetch-error'

/** After decompression. */
export const LARGEST_ANSWER_BYTES = 64 * 1024

/** Reads an answer while counting what comes out of the decompression, so that a small bomb does not become a large text. */
export async function readAnswer(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decompressed(answer) as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > LARGEST_ANSWER_BYTES) throw fetchError('answer', 'the answer is larger than 64 kB')
      chunks.push(chunk)
    }
  } finally {
    // Leaving the loop has ended the decompression. A connection whose answer is not over ends too: the other side may never end it.
    answer.destroy()
  }
  return Buffer.concat(chunks).toString('utf8')
}

function decompressed(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decoder = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }[encoding]
  if (decoder !== undefined) {
    const stream = decoder()
    // A connection that breaks ends the decompression too.
    answer.once('error', (error) => stream.destroy(error))
    answer.once('aborted', () => stream.destroy(fetchError('unreachable', 'the connection broke')))
    return answer.pipe(stream)
  }
  if (encoding === 'identity') return answer
  throw fetchError('answer', 'the answer is in an encoding that is not known')
}
