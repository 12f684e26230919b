/** The body of an answer up to a limit. The rest is not read, however much the server sends. */
export async function readText(response: Response, limitBytes: number): Promise<string> {
  if (response.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    const part = chunk as Uint8Array
    chunks.push(part)
    size += part.byteLength
    // Leaving the loop ends the stream and closes its connection.
    if (size >= limitBytes) break
  }
  return Buffer.concat(chunks).subarray(0, limitBytes).toString('utf8')
}
