import bolt11 from 'bolt11'

// An invoice says the same however often it is read, and the same few are read some hundred thousand times: recovering the
// key of the signature each time took a third of the run. The library's own object is changed, in this process only, so
// that it holds for the modules with planted bugs too.

const decode = bolt11.decode.bind(bolt11)
const known = new Map<string, ReturnType<typeof decode>>()

bolt11.decode = (text, network) => {
  const key = `${network?.bech32} ${text}`
  const earlier = known.get(key)
  if (earlier !== undefined) return earlier
  // What is refused is refused again each time.
  const invoice = frozen(decode(text, network))
  known.set(key, invoice)
  return invoice
}

/** Whoever changed what the next reader gets would be found at once. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) frozen(each)
  return Object.freeze(value)
}
