/**
 * The answer, or `otherwise` when it does not come within `patienceMs`. After a time in which this process could do nothing, an
 * answer that has arrived meanwhile is read first.
 */
export async function inTime<Answer, const Otherwise>(
  answer: Promise<Answer>,
  otherwise: Otherwise,
  patienceMs: number,
): Promise<Answer | Otherwise> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Otherwise>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, otherwise), patienceMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
