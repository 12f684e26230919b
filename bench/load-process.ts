import { runLoad, type Load } from './load'

// The load comes from a process of its own, so that it does not wait for the server's garbage collector, nor the server for it.
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error
    },
  )
})
process.once('disconnect', () => process.exit(0))
