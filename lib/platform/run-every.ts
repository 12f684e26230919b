/**
 * Runs a task every `everyMs` while the process runs, one run at a time. Returns the function that starts a run at once, unless one
 * is in progress.
 */
export function runEvery(everyMs: number, task: () => Promise<unknown>, onError: (error: unknown) => void): () => void {
  let running = false
  const start = (): void => {
    if (running) return
    running = true
    task()
      .catch(onError)
      .finally(() => {
        running = false
      })
  }
  setInterval(start, everyMs).unref()
  return start
}
