/** A reader that asks for no chunk in this time has gone or stalled: a chunk of an export has up to half a megabyte. */
const STALL_MS = 30_000

/**
 * A text as a body, one chunk for each part. A part is read when the reader asks for the next chunk, and none after the reader has left.
 * @param onEnd called once: at the end, after a failure, when the reader has left, or when it has stalled.
 */
export function textStream(
  parts: AsyncGenerator<string, void>,
  onEnd: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stall: NodeJS.Timeout | undefined
  let hasEnded = false
  const end = (): void => {
    if (hasEnded) return
    hasEnded = true
    onEnd()
  }
  /** After the part that is being read, if any. */
  const leave = async (): Promise<void> => {
    clearTimeout(stall)
    await parts.return().finally(end)
  }
  const awaitReader = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stall = setTimeout(() => {
      // Next logs no error of this name.
      controller.error(new DOMException('the reader has stalled', 'AbortError'))
      leave().catch(() => undefined)
    }, STALL_MS)
    stall.unref()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: awaitReader,
      async pull(controller) {
        clearTimeout(stall)
        try {
          const { value, done } = await parts.next()
          if (done === true) controller.close()
          // Throws when the reader has left meanwhile.
          else controller.enqueue(encoder.encode(value))
          if (done === true) end()
          else awaitReader(controller)
        } catch (error) {
          end()
          throw error
        }
      },
      cancel: leave,
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
