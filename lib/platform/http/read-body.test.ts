import { describe, expect, it } from 'vitest'
import { MAX_BODY_BYTES, readBody } from './read-body'

const post = (body: string, headers: Record<string, string> = {}): Request =>
  new Request('http://localhost/', { method: 'POST', body, headers })

function endless(seen: { chunks: number }): Request {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      seen.chunks += 1
      controller.enqueue(new Uint8Array(16 * 1024))
    },
  })
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

describe('readBody', () => {
  it('reads a body of exactly the limit and rejects one more byte', async () => {
    expect(await readBody(post('x'.repeat(MAX_BODY_BYTES)))).toHaveLength(MAX_BODY_BYTES)
    await expect(readBody(post('x'.repeat(MAX_BODY_BYTES + 1)))).rejects.toMatchObject({ status: 413 })
  })

  it('counts bytes, not characters', async () => {
    await expect(readBody(post('₱'.repeat(MAX_BODY_BYTES / 2)))).rejects.toMatchObject({ status: 413 })
  })

  it('counts the bytes when Content-Length claims fewer', async () => {
    const long = post('x'.repeat(MAX_BODY_BYTES + 1), { 'content-length': '2' })
    await expect(readBody(long)).rejects.toMatchObject({ status: 413 })
  })

  it('stops reading an endless body soon after the limit', async () => {
    const seen = { chunks: 0 }
    await expect(readBody(endless(seen))).rejects.toMatchObject({ status: 413 })
    expect(seen.chunks).toBeLessThan(10)
  })

  it('reads a missing body as empty text, and invalid UTF-8 without failing', async () => {
    expect(await readBody(new Request('http://localhost/'))).toBe('')
    const broken = new Request('http://localhost/', { method: 'POST', body: new Uint8Array([0xff, 0xfe]) })
    expect(await readBody(broken)).toBe('\ufffd\ufffd')
  })
})
