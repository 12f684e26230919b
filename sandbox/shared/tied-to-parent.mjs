// Loaded before a process of the sandbox. Ends it when its parent ends, even by `kill -9`, because the kernel then
// closes the channel between them.
import { isMainThread } from 'node:worker_threads'

// Threads load this file too.
if (isMainThread) {
  const end = () => process.kill(process.pid, 'SIGTERM')
  process.once('disconnect', end)
  // The parent ended before this file was loaded.
  if (!process.connected) end()
  process.channel?.unref()
  // The children of this process are not tied: workers of a build wait on their own channel.
  const { NODE_OPTIONS } = process.env
  if (NODE_OPTIONS !== undefined)
    process.env.NODE_OPTIONS = NODE_OPTIONS.replace(`--import=${import.meta.url}`, '').trim()
}
