/** A text as a body, one chunk for each part. A part is read when the reader asks for the next chunk, and none after the reader has left. */
export function textStream(parts: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await parts.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await parts.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A JSON array with one line for each entry, one part for each slice that is not empty. */
export async function* jsonArray(slices: AsyncGenerator<readonly string[], void>): AsyncGenerator<string, void> {
  let before = '['
  for await (const slice of slices) {
    // An empty part would not be the answer to the reader's request.
    if (slice.length === 0) continue
    yield before + slice.map((each) => `\n${each}`).join(',')
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
