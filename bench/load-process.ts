import { fire, type CannonLoad } from './cannon'
import { runLoad, type Load } from './load'

// The load comes from a separate process, so that neither the load nor the server waits for the other's garbage collector, and so
// that its CPU is not counted.
process.on('message', (load: Load | CannonLoad) => {
  const running: Promise<unknown> = 'amount' in load ? fire(load) : runLoad(load)
  running.then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error
    },
  )
})
process.once('disconnect', () => process.exit(0))
