import { startProcess } from '../sandbox/processes'

// A process of its own for tests: starts another that would run for ever, and says its process id once it runs.
const { child } = startProcess('child', ['--eval', 'console.log("up"); setInterval(() => {}, 1000)'], process.env)
child.stdout?.once('data', () => console.log(child.pid))
