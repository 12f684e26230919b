// The keys of a signed-in user's pages. Their addresses are in `data-keys` of a link in the menu (components/keys.ts). Without that link,
// and while the user types, every key is left to the browser.
{
  const NEXT_KEY_MS = 1_500
  let before = ''
  let beforeAt = -NEXT_KEY_MS

  /** @param {EventTarget | null} target */
  const isTyping = (target) =>
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, dialog, [role="dialog"]') !== null)

  document.addEventListener('keydown', (event) => {
    const { key, target, timeStamp } = event
    // A name such as "Shift" is longer. Shift itself is part of "?" on most keyboards.
    if (key.length !== 1 || event.repeat || event.isComposing || event.defaultPrevented) return
    const isLeft = event.ctrlKey || event.altKey || event.metaKey || isTyping(target)
    const known = isLeft ? undefined : document.querySelector('a[data-keys]')?.getAttribute('data-keys')
    const first = timeStamp - beforeAt < NEXT_KEY_MS ? before : ''
    before = ''
    if (known === undefined || known === null) return
    const addresses = JSON.parse(known)
    const address = addresses[`${first} ${key}`] ?? addresses[key]
    if (address === undefined) {
      before = key
      beforeAt = timeStamp
      return
    }
    event.preventDefault()
    // Not through Next: the browser itself focuses what a fragment names, on the same page too.
    location.assign(address)
  })
}
