import { expect, it } from 'vitest'
import { visibleText } from './visible-text'

it.each([null, undefined, '', ' ', '\t\n', '\u00a0\u2003', '\u200b\u2060', '\u2800', '\u3164', '\ufe0f', '\0\u202e'])(
  'finds nothing to show in %j',
  (text) => expect(visibleText(text)).toBeUndefined(),
)

it.each(['x', ' 0 ', '-', '☕', '謝謝', '\u200bthanks'])('returns %j as it is', (text) =>
  expect(visibleText(text)).toBe(text),
)
