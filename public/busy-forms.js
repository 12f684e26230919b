// Shows that a form is working, and ignores a second press: for every form of the VASP, the shop and the gateway simulator. Without
// JavaScript, forms work as they are, and the server treats a double press as one request.
{
  const LABEL_AFTER_MS = 400
  // A browser does not report a stopped or broken request. Longer than the server takes to answer.
  const FREE_AFTER_MS = 60_000
  /** What ends the waiting, by form. @type {Map<HTMLFormElement, () => void>} */
  const waiting = new Map()

  /** @param {HTMLFormElement} form @param {HTMLElement | null} button */
  const wait = (form, button) => {
    const label = document.createElement('span')
    label.className = 'busy'
    label.setAttribute('role', 'status')
    if (button !== null && form.contains(button)) button.after(label)
    else form.append(label)
    form.setAttribute('aria-busy', 'true')
    const timers = [
      setTimeout(() => (label.textContent = form.dataset.busy ?? 'Working …'), LABEL_AFTER_MS),
      setTimeout(() => waiting.get(form)?.(), FREE_AFTER_MS),
    ]
    waiting.set(form, () => {
      for (const timer of timers) clearTimeout(timer)
      waiting.delete(form)
      form.removeAttribute('aria-busy')
      label.remove()
    })
  }
  const freeAll = () => {
    for (const free of waiting.values()) free()
  }

  document.addEventListener('submit', (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target)
    if (event.defaultPrevented) return
    if (waiting.has(form)) event.preventDefault()
    else wait(form, event.submitter)
  })
  // The page of the back button is the one that was left, with its form still waiting.
  addEventListener('pageshow', freeAll)
  // Escape stops the request.
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') freeAll()
  })
}
