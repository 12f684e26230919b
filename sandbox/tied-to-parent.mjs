// Loaded before a process of the sandbox. Ends it when the one that started it ends, by `kill -9` too: the kernel closes
// the channel between them.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
