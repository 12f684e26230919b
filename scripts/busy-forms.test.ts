import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

/** The parts of a form that the script uses. */
class FakeForm {
  readonly attributes = new Map<string, string>()
  readonly labels: FakeLabel[] = []
  constructor(readonly dataset: { busy?: string } = {}) {}
  contains = (): boolean => false
  append = (label: FakeLabel): void => void this.labels.push(label)
  setAttribute = (name: string, value: string): void => void this.attributes.set(name, value)
  removeAttribute = (name: string): void => void this.attributes.delete(name)
}
interface FakeLabel {
  textContent: string
  setAttribute: (name: string, value: string) => void
  remove: () => void
}

describe('A form', () => {
  let document: EventTarget & { createElement?: () => FakeLabel }
  let page: EventTarget
  let removed: FakeLabel[]
  beforeEach(() => {
    vi.useFakeTimers()
    removed = []
    page = new EventTarget()
    document = Object.assign(new EventTarget(), {
      createElement: () => {
        const label: FakeLabel = { textContent: '', setAttribute: () => {}, remove: () => void removed.push(label) }
        return label
      },
    })
    runInNewContext(readFileSync('public/busy-forms.js', 'utf8'), {
      document,
      setTimeout,
      clearTimeout,
      addEventListener: page.addEventListener.bind(page),
    })
  })
  afterEach(() => void vi.useRealTimers())

  /** Whether the browser sends the form. */
  const submit = (form: FakeForm): boolean => {
    const event = new Event('submit', { cancelable: true })
    Object.defineProperties(event, { target: { value: form }, submitter: { value: null } })
    return document.dispatchEvent(event)
  }

  it('is sent once, however often it is pressed, and other forms are sent', () => {
    const [form, other] = [new FakeForm(), new FakeForm()]
    expect([submit(form), submit(form), submit(other), submit(form)]).toEqual([true, false, true, false])
  })

  it('says that it is busy at once, and shows its label after 400 ms', () => {
    const [form, named] = [new FakeForm(), new FakeForm({ busy: 'Asking localhost:3001 …' })]
    submit(form)
    submit(named)
    expect(form.attributes.get('aria-busy')).toBe('true')
    vi.advanceTimersByTime(399)
    expect([form, named].map(({ labels }) => labels[0]?.textContent)).toEqual(['', ''])
    vi.advanceTimersByTime(1)
    expect([form, named].map(({ labels }) => labels[0]?.textContent)).toEqual(['Working …', 'Asking localhost:3001 …'])
    submit(form)
    expect(form.labels).toHaveLength(1)
  })

  it.each([
    ['the user comes back to the page', () => void page.dispatchEvent(new Event('pageshow'))],
    [
      'the user stops the request',
      () => void page.dispatchEvent(Object.assign(new Event('keydown'), { key: 'Escape' })),
    ],
    ['no answer came for a minute', () => void vi.advanceTimersByTime(60_000)],
  ])('can be sent again when %s', (_, happen) => {
    const form = new FakeForm()
    submit(form)
    happen()
    expect(form.attributes.has('aria-busy')).toBe(false)
    expect(removed).toEqual(form.labels)
    expect(submit(form)).toBe(true)
    vi.advanceTimersByTime(400)
    expect(form.labels.map(({ textContent }) => textContent)).toEqual([expect.any(String), 'Working …'])
  })

  it('that a script of the page has stopped does not wait', () => {
    const form = new FakeForm()
    const event = new Event('submit', { cancelable: true })
    Object.defineProperties(event, { target: { value: form }, submitter: { value: null } })
    event.preventDefault()
    document.dispatchEvent(event)
    expect(form.attributes.has('aria-busy')).toBe(false)
  })
})
