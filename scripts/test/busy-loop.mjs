// Keeps one core busy until the process that forked it is gone. Plain Node.

/** Between two looks at the parent. Its event `disconnect` does not come when the parent ends while this process starts. */
const TURN_MS = 50

spin()

function spin() {
  if (!process.connected) process.exit()
  const until = Date.now() + TURN_MS
  while (Date.now() < until);
  setImmediate(spin)
}
