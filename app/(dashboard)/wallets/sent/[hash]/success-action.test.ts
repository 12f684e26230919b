import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { readSuccessAction, type SuccessAction } from '@/lib/uma/client/success-action'
import { SuccessActionSection } from './success-action'

const preimage = createHash('sha256').update('what the payment bought').digest('hex')

/** The section for an action as the receiver sent it. */
function shown(given: object): string {
  const action = readSuccessAction(given)
  if (action === null || action === 'unsupported') throw new Error('this action is not shown')
  return render(action)
}
function render(action: SuccessAction): string {
  return renderToStaticMarkup(SuccessActionSection({ action, preimage, receiver: 'shop@coffee.example' }))
}
function encrypted(text: string, key: Buffer): object {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
  return { tag: 'aes', description: 'Your <voucher>', ciphertext, iv: iv.toString('base64') }
}

describe('what a receiver sent for the payer, on the page of the payment', () => {
  it('names the receiver, because the text is not ours', () => {
    expect(shown({ tag: 'message', message: 'Tea is ready' })).toContain(
      'shop@coffee.example sent this with the payment.',
    )
  })

  it('is a message with its lines, as text and never as HTML', () => {
    const html = shown({ tag: 'message', message: 'Table 7\n<script>alert(1)</script>' })
    expect(html).toContain('Table 7\n&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toMatch(/whitespace-pre-line/)
    expect(html).not.toContain('<a ')
  })

  it('is a link with its description, which opens without a referrer or access to our page', () => {
    const html = shown({ tag: 'url', description: 'Track it', url: 'https://coffee.example/o/7?a=1&b="x"' })
    expect(html).toContain('Track it')
    expect(html).toContain('href="https://coffee.example/o/7?a=1&amp;b=%22x%22"')
    expect(html).toContain('rel="noreferrer noopener"')
    // The whole address is the text, so that the user sees where it leads.
    expect(html).toContain('>https://coffee.example/o/7?a=1&amp;b=%22x%22</a>')
  })

  it('is the text that the preimage decrypts, to copy', () => {
    const html = shown(encrypted('CODE-<42>', Buffer.from(preimage, 'hex')))
    expect(html).toContain('Your &lt;voucher&gt;')
    expect(html).toContain('CODE-&lt;42&gt;')
    expect(html).toContain('Copy')
  })

  it.each([
    ['for another preimage', encrypted('secret', randomBytes(32))],
    ['that is not whole blocks', { ...encrypted('secret', Buffer.from(preimage, 'hex')), ciphertext: 'AAAA' }],
  ])('says that a text %s cannot be decrypted, and what to do', (_which, given) => {
    const html = shown(given)
    expect(html).toContain('cannot be decrypted with the preimage of this payment. Ask the recipient for it.')
    expect(html).not.toContain('Copy')
  })
})
