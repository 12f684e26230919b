// Loaded before a process of the sandbox. Ends it when its parent ends, even by `kill -9`, because the kernel then
// closes the channel between them.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
