import bolt11 from 'bolt11'

// The simulation reads the same few invoices again and again, and recovering the key of each signature would take a third of
// the run. This replaces the function of the library in this process only.

const decode = bolt11.decode.bind(bolt11)
const known = new Map<string, ReturnType<typeof decode>>()

bolt11.decode = (text, network) => {
  const key = `${network?.bech32} ${text}`
  const earlier = known.get(key)
  if (earlier !== undefined) return earlier
  const invoice = frozen(decode(text, network))
  known.set(key, invoice)
  return invoice
}

/** Code that changed the shared invoice would throw. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}
