import { describe, expect, it } from 'vitest'
import { cookieName } from './cookies'

const ORIGIN = 'http://localhost:3000'

describe('cookie names', () => {
  it('differ between two instances on one localhost', () => {
    const names = ['northbank', 'southbank'].map((instance) =>
      cookieName({ instance, publicOrigin: ORIGIN }, 'session'),
    )
    expect(names).toEqual(['northbank.session', 'southbank.session'])
  })

  it('are bound to the host over https', () => {
    expect(cookieName({ instance: 'northbank', publicOrigin: 'https://vasp.example' }, 'csrf')).toBe(
      '__Host-northbank.csrf',
    )
  })
})
