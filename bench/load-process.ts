import { runLoad, type Load } from './load'

// The load comes from a separate process, so that neither the load nor the server waits for the other's garbage collector.
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error
    },
  )
})
process.once('disconnect', () => process.exit(0))
