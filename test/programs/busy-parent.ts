import { startBusyLoops } from '../../scripts/test/busy-loops'

// A process for tests. It prints the process ids of its busy loops.
console.log(startBusyLoops().pids.join(' '))
