import { createHash, randomBytes } from 'node:crypto'
import bolt11 from 'bolt11'
import { describe, expect, it } from 'vitest'
import { newNodeSecret } from '@/test/vasp/keys'
import { decodeInvoice, encodeInvoice, type DecodedInvoice, type Decoding, type NewInvoice } from './bolt11'
import { hasRouteHints } from './invoice-fields'
import { networkOfInvoice } from './networks'
import { nodePublicKey } from './node-key'

const secret = newNodeSecret()
const payee = nodePublicKey(secret)
const hex32 = (): string => randomBytes(32).toString('hex')

const MADE_AT = 1_800_000_000
const plain = (over: Partial<NewInvoice> = {}): NewInvoice => ({
  network: 'regtest',
  nodeSecretHex: secret,
  paymentHash: hex32(),
  paymentSecretHex: hex32(),
  amountMsats: 25_000n,
  description: 'coffee',
  descriptionHash: undefined,
  createdAtSeconds: MADE_AT,
  expirySeconds: 600,
  ...over,
})

function good(text: string): DecodedInvoice {
  const decoding = decodeInvoice(text, 'regtest')
  if (!decoding.ok) throw new Error(`refused: ${decoding.reason}`)
  return decoding.invoice
}

function refusal(text: string): string {
  const decoding = decodeInvoice(text, 'regtest')
  if (decoding.ok) throw new Error('this was accepted')
  return decoding.reason
}

describe('an invoice that this node creates', () => {
  it.each([
    1n,
    9n,
    10n,
    999n,
    1_000n,
    25_000n,
    123_456_789n,
    100_000_000n,
    100_000_000_000n,
    2_100_000_000_000_000_000n,
    undefined,
  ])('of %s millisatoshis is read back as it was written, signed by our node', (amountMsats) => {
    const made = plain({ amountMsats })
    const text = encodeInvoice(made)
    expect(text).toMatch(/^lnbcrt/)
    expect(good(text)).toEqual({
      invoice: text,
      paymentHash: made.paymentHash,
      payee,
      amountMsats,
      description: 'coffee',
      descriptionHash: undefined,
      createdAtSeconds: MADE_AT,
      expiresAtSeconds: MADE_AT + 600,
    })
  })

  it.each([
    ['that is empty', ''],
    ['with an emoji', 'Kaffee ☕️ für zwei 🧑‍🤝‍🧑'],
    ['written from right to left', 'قهوة'],
    ['in kana', 'ナンセンス 1杯'],
    ['with markup', `<script>alert('1')</script>`],
    ['of 639 bytes, the maximum', 'é'.repeat(319) + 'e'],
  ])('keeps a description %s, byte for byte', (_, description) => {
    expect(good(encodeInvoice(plain({ description })))).toMatchObject({ description, descriptionHash: undefined })
  })

  it('is not created with a description of 640 bytes', () => {
    expect(() => encodeInvoice(plain({ description: 'x'.repeat(640) }))).toThrow(/639/)
  })

  it('commits to the hash of a description instead of the text', () => {
    const descriptionHash = createHash('sha256').update('a long text').digest('hex')
    const decoded = good(encodeInvoice(plain({ description: undefined, descriptionHash })))
    expect(decoded).toMatchObject({ descriptionHash, description: undefined })
  })

  it.each([1, 3_600, 31_536_000])('is valid for the %d seconds it was given', (expirySeconds) => {
    expect(good(encodeInvoice(plain({ expirySeconds }))).expiresAtSeconds).toBe(MADE_AT + expirySeconds)
  })

  it('requires the payment secret from every payer, and no feature that real nodes do not support', () => {
    const { tagsObject } = bolt11.decode(encodeInvoice(plain()), REGTEST)
    expect(tagsObject.payment_secret).toMatch(/^[0-9a-f]{64}$/)
    expect(tagsObject.feature_bits).toMatchObject({
      payment_secret: { required: true },
      var_onion_optin: { required: true },
      basic_mpp: { required: false, supported: true },
      extra_bits: { has_required: false },
    })
    expect(tagsObject.min_final_cltv_expiry).toBe(80)
  })

  it('sets one bit of each feature pair (BOLT 9): 8, 14 and 17', () => {
    const [, words = []] = fieldsOf(encodeInvoice(plain())).find(([letter]) => letter === '9') ?? []
    const bits = words
      .toReversed()
      .flatMap((word, index) => [0, 1, 2, 3, 4].flatMap((bit) => ((word >> bit) & 1 ? 5 * index + bit : [])))
    expect(bits).toEqual([8, 14, 17])
  })
})

describe('pasted text', () => {
  const text = encodeInvoice(plain())

  it.each([
    ['in upper case, as QR codes carry it', text.toUpperCase()],
    ['with the prefix lightning:', `lightning:${text}`],
    ['with the prefix LIGHTNING:, all in upper case', `LIGHTNING:${text.toUpperCase()}`],
    ['with spaces around it', `  ${text}\n`],
  ])('%s is read as the same invoice', (_, pasted) => {
    expect(good(pasted)).toEqual(good(text))
  })

  it.each([
    ['empty', ''],
    ['blank', '   '],
    ['a word', 'hello'],
    ['the prefix alone', 'lnbcrt1'],
    ['lightning: alone', 'lightning:'],
    ['lightning:// and an invoice', `lightning://${text}`],
    ['a UMA address', '$bob@localhost:3000'],
    ['5,000 characters long', `lnbcrt1${'q'.repeat(4_993)}`],
    ['an invoice and 5,000 characters more', text + 'q'.repeat(5_000)],
    ['an invoice with a NUL in it', `${text.slice(0, 40)}\0${text.slice(40)}`],
    ['an invoice with a NUL after it', `${text}\0`],
    ['an invoice with a space in it', `${text.slice(0, 40)} ${text.slice(40)}`],
    ['an invoice and a word', `${text} please`],
    ['two invoices', `${text}${text}`],
    ['an invoice with a lookalike letter of another script', text.replace('c', 'с')],
    ['half a character', `${text}\ud800`],
    [
      'a BOLT-12 offer',
      'lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg',
    ],
    ['another network’s address', 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'],
  ])('is rejected without throwing when it is %s', (_, pasted) => {
    expect(refusal(pasted)).toMatch(/^[A-Z].*\.$/)
  })

  it('in mixed case, which checksums cannot detect, is rejected', () => {
    expect(refusal(text.replace('lnbcrt', 'LNBCRT'))).toMatch(/mixes upper and lower case/)
    expect(refusal(text.slice(0, -1) + text.slice(-1).toUpperCase() + 'Q')).toMatch(/mixes|damaged/)
  })

  const LNURL =
    'lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35xvukxefcv5mkvv34x5ekzd3ev56nyd3hxqurzepexejxxepnxscrvwfnv9nxzcn9xq6xyefhvgcxxcmyxymnserxfq5fns'
  it.each([
    [
      'a BOLT 12 offer',
      'lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg',
      'BOLT 12',
    ],
    ['a BOLT 12 offer in upper case', 'LNO1PQPS7SJQPGTYZM3QV4UXZMTSD3JJQER9WD3HY6TSW35K7MSJZFPY7NZ5YQCNYGR', 'BOLT 12'],
    ['a BOLT 12 invoice request', 'lnr1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', 'BOLT 12'],
    ['a BOLT 12 invoice with lightning:', 'lightning:lni1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', 'BOLT 12'],
    ['an LNURL', LNURL, 'an LNURL'],
    ['an LNURL in upper case with lightning:', `LIGHTNING:${LNURL.toUpperCase()}`, 'an LNURL'],
    ['an LNURL without bech32 (LUD-17)', 'lnurlp://bank.example/pay', 'an LNURL'],
    ['an invoice of another network', 'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqf', 'for another network'],
    ['a text that is too long', `lnbcrt1${'q'.repeat(2_000)}`, 'too long'],
    ['an address', '$bob@localhost:3000', 'not a Lightning invoice'],
    ['a word', 'lnhello', 'not a Lightning invoice'],
    ['an invoice with a wrong checksum', `${text.slice(0, -1)}${text.endsWith('q') ? 'p' : 'q'}`, 'damaged'],
    ['an invoice without its end', text.slice(0, 60), 'damaged'],
  ])('that is %s is refused for this reason', (_, pasted, reason) => {
    expect(decodeInvoice(pasted, 'regtest')).toMatchObject({ ok: false, reason: expect.stringContaining(reason) })
  })

  it('is rejected with any one character changed', () => {
    const accepted: string[] = []
    for (let place = 0; place < text.length; place++) {
      for (const letter of `${BECH32_LETTERS}1`) {
        if (letter === text[place]) continue
        const changed = text.slice(0, place) + letter + text.slice(place + 1)
        if (decodeInvoice(changed, 'regtest').ok) accepted.push(`${place}: ${letter}`)
      }
    }
    expect(accepted).toEqual([])
  })

  it('is rejected with one character left out or doubled, or two swapped', () => {
    for (let place = 0; place < text.length - 1; place++) {
      const [one = '', two = ''] = text.slice(place, place + 2)
      expect(decodeInvoice(text.slice(0, place) + text.slice(place + 1), 'regtest').ok).toBe(false)
      expect(decodeInvoice(text.slice(0, place) + one + text.slice(place), 'regtest').ok).toBe(false)
      if (one !== two)
        expect(decodeInvoice(text.slice(0, place) + two + one + text.slice(place + 2), 'regtest').ok).toBe(false)
    }
  })

  it('with a q inserted before a final p, which the checksum accepts, does not name our node as the payee', () => {
    let endsInP = text
    while (!endsInP.endsWith('p')) endsInP = encodeInvoice(plain())
    for (let count = 1; count <= 8; count++) {
      const stretched = `${endsInP.slice(0, -1)}${'q'.repeat(count)}p`
      expect(isBech32(stretched)).toBe(true)
      expect(payeeOf(decodeInvoice(stretched, 'regtest'))).not.toBe(payee)
    }
  })

  it('names its signer as the payee, never our node', () => {
    const stranger = newNodeSecret()
    expect(good(encodeInvoice(plain({ network: 'regtest', nodeSecretHex: stranger }))).payee).toBe(
      nodePublicKey(stranger),
    )
  })

  it('whose signature covers other words is rejected or names another payee', () => {
    const { hrp, words } = parts(text)
    const { words: others } = parts(encodeInvoice(plain({ amountMsats: 26_000n })))
    const grafted = bech32(hrp, [...words.slice(0, -104), ...others.slice(-104)])
    expect(isBech32(grafted)).toBe(true)
    expect(payeeOf(decodeInvoice(grafted, 'regtest'))).not.toBe(payee)
  })

  it.each([
    ['of zeros', zeros(104)],
    ['of ones', filled(104, 31)],
    ['with a recovery ID of 4', [...filled(102, 7), 0, 4]],
  ])('with a signature %s is rejected', (_, signature) => {
    const { hrp, words } = parts(text)
    expect(refusal(bech32(hrp, [...words.slice(0, -104), ...signature]))).toMatch(/damaged/)
  })

  it('with an amount other than the signed one is rejected or names another payee', () => {
    const { words } = parts(text)
    expect(payeeOf(decodeInvoice(bech32('lnbcrt1n', words), 'regtest'))).not.toBe(payee)
  })
})

describe('the rules of BOLT 11 for readers', () => {
  it.each([
    ['mainnet', 'lnbc'],
    ['testnet', 'lntb'],
    ['signet', 'lntbs'],
    ['regtest', 'lnbcrt'],
    ['simnet', 'lnsb'],
  ] as const)('an invoice for %s begins with %s, and is read on that network only', (network, prefix) => {
    for (const amountMsats of [25_000n, undefined]) {
      const text = encodeInvoice(plain({ network, amountMsats }))
      expect(text).toMatch(new RegExp(`^${prefix}[0-9]`))
      expect(networkOfInvoice(text.toUpperCase())).toBe(network)
      const reading = ['mainnet', 'testnet', 'signet', 'regtest', 'simnet'] as const
      expect(reading.filter((each) => decodeInvoice(text, each).ok)).toEqual([network])
    }
    expect(networkOfInvoice('lnltc1')).toBeUndefined()
  })

  it('an invoice may name the end of a route, for a payee whose channels are not public', () => {
    const hop: Field = ['r', bytes(`${payee}${'00'.repeat(18)}`)]
    expect(good(craft({ fields: [hash(), secretField(), hop] })).payee).toBe(payee)
    expect(hasRouteHints(craft({ fields: [hash(), secretField(), hop] }))).toBe(true)
    expect(hasRouteHints(craft({}))).toBe(false)
  })

  it.each(['bc', 'tb', 'tbs', 'sb', 'bcr', 'bcrtt', 'ltc'])('an invoice for the network %s is rejected', (network) => {
    for (const amount of ['', '25m', '1']) {
      expect(refusal(craft({ hrp: `ln${network}${amount}` }))).toMatch(/another network/)
    }
  })

  it('an expired invoice is read with its expiry, because the database decides what has expired', () => {
    expect(
      good(craft({ createdAtSeconds: 1_496_314_658, fields: [hash(), secretField(), ['x', [1, 28]]] })),
    ).toMatchObject({
      createdAtSeconds: 1_496_314_658,
      expiresAtSeconds: 1_496_314_658 + 60,
    })
  })

  it('an invoice without an expiry is valid for an hour', () => {
    expect(good(craft({})).expiresAtSeconds).toBe(MADE_AT + 3_600)
  })

  it.each([8, 13, 300, 1_023])('an expiry of %d five-bit digits is rejected as out of range', (digits) => {
    const nines = filled(digits, 31)
    expect(refusal(craft({ fields: [hash(), secretField(), ['x', nines]] }))).toMatch(/out of range|damaged/)
  })

  it.each([
    ['no payment hash', () => [secretField()], /payment hash/],
    ['no payment secret', () => [hash()], /payment secret/],
    ['a payment hash of 51 digits', () => [['p', zeros(51)], secretField()], /payment hash/],
    ['a payment hash of 53 digits', () => [['p', zeros(53)], secretField()], /payment hash/],
    ['a payment secret of 51 digits', () => [hash(), ['s', zeros(51)]], /payment secret/],
  ] as [string, () => Field[], RegExp][])('an invoice with %s is refused', (_, fields, reason) => {
    expect(refusal(craft({ fields: fields() }))).toMatch(reason)
  })

  it('fields of a wrong length are skipped, and the first valid one counts', () => {
    const paymentHash = hex32()
    const fields: Field[] = [['p', zeros(53)], ['p', bytes(paymentHash)], hash(), ['h', zeros(51)], secretField()]
    expect(good(craft({ fields }))).toMatchObject({ paymentHash, descriptionHash: undefined })
  })

  it('unknown fields are skipped, and fallback addresses and routes too', () => {
    const fields: Field[] = [
      hash(),
      ['2', zeros(3)],
      ['f', [19, ...zeros(32)]],
      ['r', zeros(82)],
      secretField(),
      ['t', zeros(9)],
    ]
    expect(decodeInvoice(craft({ fields }), 'regtest').ok).toBe(true)
  })

  it.each([
    ['a key hash of 31 words', [17, ...zeros(31)]],
    ['a key hash of 33 words', [17, ...zeros(33)]],
    ['a script hash of 52 words', [18, ...zeros(52)]],
    ['a witness program of 10 words', [0, ...zeros(10)]],
    ['a Taproot key of 32 words', [1, ...zeros(32)]],
    ['an unknown version', [31, ...zeros(32)]],
    ['a version alone', [0]],
    ['nothing', []],
  ])('a fallback address with %s is skipped', (_, content) => {
    expect(good(craft({ fields: [hash(), ['f', content], secretField(), ['n', bytes(payee)]] })).payee).toBe(payee)
    expect(good(craft({ fields: [['f', content], hash(), ['f', content], secretField()] })).payee).toBe(payee)
  })

  it.each([1, 50, 80, 83, 164])('a route of %d words is skipped or read', (words) => {
    expect(good(craft({ fields: [hash(), ['r', zeros(words)], secretField()] })).payee).toBe(payee)
  })

  it.each([
    ['2^60', [1, ...zeros(12)]],
    ['2^40', [1, ...zeros(8)]],
    ['the largest value of 20 words', filled(20, 31)],
  ])('an expiry of %s is refused for its expiry', (_, content) => {
    const decoding = decodeInvoice(craft({ fields: [hash(), secretField(), ['x', content]] }), 'regtest')
    expect(decoding).toMatchObject({ ok: false, reason: expect.stringContaining('expiry') })
  })

  it.each(['1p', '25p', '2500000001p', '0', '0p', '00m', '2500x', '25mm', '25m5'])(
    'the amount %s is refused for its amount',
    (amount) => {
      const decoding = decodeInvoice(craft({ hrp: `lnbcrt${amount}` }), 'regtest')
      expect(decoding).toMatchObject({ ok: false, reason: expect.stringContaining('amount') })
    },
  )

  it.each([8, 9, 14, 15, 16, 17, 1, 19, 21, 48, 49, 99, 201])('feature bit %d may be set', (bit) => {
    expect(decodeInvoice(craft({ fields: [hash(), secretField(), features(bit)] }), 'regtest').ok).toBe(true)
  })

  it.each([0, 2, 4, 6, 10, 12, 18, 20, 24, 46, 50, 100, 200])(
    'feature bit %d, required and unknown, is refused, even together with known bits',
    (bit) => {
      expect(refusal(craft({ fields: [hash(), secretField(), features(bit)] }))).toMatch(/feature/)
      expect(refusal(craft({ fields: [hash(), secretField(), features(8, 14, 17, bit, 99)] }))).toMatch(/feature/)
      expect(refusal(craft({ fields: [hash(), secretField(), features(8, 14), features(bit)] }))).toMatch(/feature/)
    },
  )

  it.each([
    ['1', 100_000_000_000n],
    ['20m', 2_000_000_000n],
    ['2500u', 250_000_000n],
    ['15n', 1_500n],
    ['10p', 1n],
    ['9678785340p', 967_878_534n],
    ['21000000', 2_100_000_000_000_000_000n],
  ])('the amount %s is %s millisatoshis', (amount, msats) => {
    expect(good(craft({ hrp: `lnbcrt${amount}` })).amountMsats).toBe(msats)
  })

  it.each([
    ['1p', 'a tenth of a millisatoshi'],
    ['2500000001p', 'a fraction of a millisatoshi'],
    ['0', 'nothing'],
    ['0p', 'nothing'],
    ['0m', 'nothing'],
    ['21000001', 'more than all bitcoin in existence'],
    ['21000000001m', 'more than all bitcoin in existence'],
    ['9'.repeat(40), 'more than all bitcoin in existence'],
    ['2500x', 'an unknown multiplier'],
    ['2500mm', 'two multipliers'],
    ['25m5', 'digits after the multiplier'],
    ['-5m', 'a sign'],
    ['2.5m', 'a decimal point'],
  ])('the amount %s is rejected: %s', (amount) => {
    expect(refusal(craft({ hrp: `lnbcrt${amount}` }))).toMatch(/^[A-Z].*\.$/)
  })

  it('a payee field that is not the signer’s is rejected, and the signer’s own is accepted', () => {
    const own = craft({ fields: [hash(), secretField(), ['n', bytes(payee)]] })
    expect(good(own).payee).toBe(payee)
    const wrong = craft({ fields: [hash(), secretField(), ['n', bytes(nodePublicKey(newNodeSecret()))]] })
    expect(refusal(wrong)).toMatch(/damaged/)
  })

  it.each([0, 52, 54])('a payee field of %d digits is skipped, and the payee is the signer', (digits) => {
    const odd: Field = ['n', filled(digits, 3)]
    expect(good(craft({ fields: [hash(), odd, secretField()] })).payee).toBe(payee)
    expect(good(craft({ fields: [hash(), secretField(), odd, ['n', bytes(payee)], odd] })).payee).toBe(payee)
    const another: Field = ['n', bytes(nodePublicKey(newNodeSecret()))]
    expect(refusal(craft({ fields: [hash(), secretField(), odd, another] }))).toMatch(/damaged/)
    const damaged = craft({ fields: [hash(), odd, secretField()] })
    expect(refusal(`${damaged.slice(0, -1)}${damaged.endsWith('q') ? 'p' : 'q'}`)).toMatch(/damaged/)
  })

  it('a character of the description that the database cannot store is replaced', () => {
    const decoded = good(craft({ fields: [hash(), secretField(), ['d', bytes('610062')]] }))
    expect(decoded.description).toBe('a\uFFFDb')
  })

  it('a description that is not UTF-8 is read without throwing', () => {
    const decoded = good(craft({ fields: [hash(), secretField(), ['d', bytes('ff00fe')]] }))
    expect(typeof decoded.description).toBe('string')
  })

  it.each([0, 1, 6, 7, 50, 103, 104, 110])('a data part of %d digits is rejected', (digits) => {
    expect(refusal(bech32('lnbcrt', zeros(digits)))).toMatch(/^[A-Z].*\.$/)
  })
})

/**
 * The examples of the specification (bolts, 11-payment-encoding.md, CC-BY 4.0), signed by the node whose key is
 * published there.
 */
describe('the examples of BOLT 11', () => {
  const P = 'pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypq'
  const COFFEE = 'dq5xysxxatsyp3k7enxv4jsxqzpu'
  const BEANS = 'dq5vdhkven9v5sxyetpdeessp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygs'
  const DONATION =
    'lnbc1' +
    P +
    'dpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w'
  const CUP = `lnbc2500u1${P}${COFFEE}aztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp`
  const NONSENSE = `lnbc2500u1${P}dpquwpc4curk03c9wlrswe78q4eyqc7d8d0xqzpuyk0sg5g70me25alkluzd2x62aysf2pyy8edtjeevuv4p2d5p76r4zkmneet7uvyakky2zr4cusd45tftc9c5fh0nnqpnl2jfll544esqchsrny`
  const THINGS = `lnbc20m1${P}hp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqscc6gd6ql3jrc5yzme8v4ntcewwz5cnw92tz0pc8qcuufvq7khhr8wpald05e92xw006sq94mg8v2ndf4sefvf9sygkshp5zfem29trqq2yxxz7`
  const BEANS_99 = `lnbc25m1${P}${BEANS}9q5sqqqqqqqqqqqqqqqpqsq67gye39hfg3zd8rgc80k32tvy9xk2xunwm5lzexnvpx6fd77en8qaq424dxgt56cag2dpt359k3ssyhetktkpqh24jqnjyw6uqd08sgptq44qu`
  const BEANS_100 = `lnbc25m1${P}${BEANS}9q4psqqqqqqqqqqqqqqqpqsqq40wa3khl49yue3zsgm26jrepqr2eghqlx86rttutve3ugd05em86nsefzh4pfurpd9ek9w2vp95zxqnfe2u7ckudyahsa52q66tgzcp6t2dyk`
  const PAYMENT_HASH = '0001020304050607080900010203040506070809000102030405060708090102'

  it.each([
    ['any amount', DONATION],
    ['a cup of coffee', CUP],
    ['nonsense', NONSENSE],
    ['a list of things', THINGS],
    ['coffee beans', BEANS_99],
    ['coffee beans in upper case', BEANS_99.toUpperCase()],
    ['the testnet', `lntb20m1pvjluez${'q'.repeat(40)}`],
  ])('%s: rejected as an invoice for another network, with or without a valid checksum', (_, text) => {
    expect(refusal(text)).toMatch(/another network/)
  })

  it.each([
    ['a cup of coffee', CUP],
    ['nonsense', NONSENSE],
    ['a list of things', THINGS],
  ])('%s, signed again for regtest, has no payment secret and is rejected', (_, text) => {
    expect(refusal(forRegtest(text))).toMatch(/payment secret/)
  })

  it('the coffee beans, signed again for regtest, are read as in the specification', () => {
    expect(good(forRegtest(BEANS_99))).toEqual({
      invoice: forRegtest(BEANS_99),
      paymentHash: PAYMENT_HASH,
      payee,
      amountMsats: 2_500_000_000n,
      description: 'coffee beans',
      descriptionHash: undefined,
      createdAtSeconds: 1_496_314_658,
      expiresAtSeconds: 1_496_314_658 + 3_600,
    })
  })

  it('with a payment secret added, the Japanese description is read as text, and the list of things by its hash', () => {
    const withSecret = (text: string): string => forRegtest(text, fieldWords(secretField()))
    expect(good(withSecret(NONSENSE))).toMatchObject({ description: 'ナンセンス 1杯', amountMsats: 250_000_000n })
    const things =
      'One piece of chocolate cake, one icecream cone, one pickle, one slice of swiss cheese, one slice of salami, one lollypop, one piece of cherry pie, one sausage, one cupcake, and one slice of watermelon'
    expect(good(withSecret(THINGS))).toMatchObject({
      descriptionHash: createHash('sha256').update(things).digest('hex'),
      amountMsats: 2_000_000_000n,
      paymentHash: PAYMENT_HASH,
    })
    expect(good(withSecret(DONATION))).toMatchObject({
      amountMsats: undefined,
      description: 'Please consider supporting this project',
    })
  })

  it('the unknown feature 100, signed again for regtest, is rejected', () => {
    expect(refusal(forRegtest(BEANS_100))).toMatch(/feature/)
  })

  it('the bech32 code of this file agrees with the specification', () => {
    for (const text of [DONATION, CUP, NONSENSE, THINGS, BEANS_99, BEANS_100]) {
      const { hrp, words } = parts(text)
      expect(bech32(hrp, words)).toBe(text)
    }
  })
})

/* A second, small invoice encoder, which also writes fields that encodeInvoice never writes. */

const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] }
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
type Field = readonly [letter: string, words: readonly number[]]

function zeros(count: number): number[] {
  return filled(count, 0)
}

function filled(count: number, word: number): number[] {
  return Array.from({ length: count }, () => word)
}

function bytes(hex: string): number[] {
  const bits = [...Buffer.from(hex, 'hex')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => parseInt(five.padEnd(5, '0'), 2))
}

function hash(): Field {
  return ['p', bytes(hex32())]
}

function secretField(): Field {
  return ['s', bytes(hex32())]
}

function features(...bits: number[]): Field {
  const words = zeros(Math.ceil((Math.max(...bits) + 1) / 5))
  for (const bit of bits) words[words.length - 1 - Math.floor(bit / 5)]! |= 1 << (bit % 5)
  return ['9', words]
}

function fieldWords([letter, words]: Field): number[] {
  return [BECH32_LETTERS.indexOf(letter), words.length >> 5, words.length & 31, ...words]
}

/** A signed invoice with any human-readable part and any fields. */
function craft(spec: { hrp?: string; createdAtSeconds?: number; fields?: readonly Field[] }): string {
  const { hrp = 'lnbcrt25m', createdAtSeconds = MADE_AT, fields = [hash(), secretField()] } = spec
  const time = Array.from({ length: 7 }, (_, index) => Math.floor(createdAtSeconds / 32 ** (6 - index)) % 32)
  return signed(hrp, [...time, ...fields.flatMap(fieldWords)])
}

/** The library signs any words. */
function signed(hrp: string, words: readonly number[]): string {
  const unsigned = { prefix: hrp, wordsTemp: bech32('temp', words), tags: [] }
  const { paymentRequest } = bolt11.sign(unsigned, secret)
  if (paymentRequest === undefined) throw new Error('not signed')
  return paymentRequest
}

/** The same fields with more at the end, under our network’s prefix and our node’s signature. */
function forRegtest(text: string, more: readonly number[] = []): string {
  const { hrp, words } = parts(text)
  return signed(hrp.replace('lnbc', 'lnbcrt'), [...words.slice(0, -104), ...more])
}

function parts(text: string): { hrp: string; words: number[] } {
  const separator = text.lastIndexOf('1')
  return { hrp: text.slice(0, separator), words: wordsOf(text.slice(separator + 1, -6)) }
}

function fieldsOf(text: string): Field[] {
  const words = parts(text).words.slice(7, -104)
  const fields: Field[] = []
  for (let at = 0; at < words.length;) {
    const [letter = 0, high = 0, low = 0] = words.slice(at, at + 3)
    const end = at + 3 + high * 32 + low
    fields.push([BECH32_LETTERS[letter] ?? '', words.slice(at + 3, end)])
    at = end
  }
  return fields
}

function wordsOf(letters: string): number[] {
  return Array.from(letters, (letter) => BECH32_LETTERS.indexOf(letter))
}

function bech32(hrp: string, words: readonly number[]): string {
  const check = polymod([...spread(hrp), ...words, 0, 0, 0, 0, 0, 0]) ^ 1
  const sum = Array.from({ length: 6 }, (_, index) => (check >>> (5 * (5 - index))) & 31)
  return `${hrp}1${[...words, ...sum].map((word) => BECH32_LETTERS[word]).join('')}`
}

function isBech32(text: string): boolean {
  const separator = text.lastIndexOf('1')
  return polymod([...spread(text.slice(0, separator)), ...wordsOf(text.slice(separator + 1))]) === 1
}

function spread(hrp: string): number[] {
  const codes = Array.from(hrp, (letter) => letter.charCodeAt(0))
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
}

function polymod(values: readonly number[]): number {
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  return values.reduce((checksum, value) => {
    const top = checksum >>> 25
    const next = ((checksum & 0x1ffffff) << 5) ^ value
    return generator.reduce((sum, each, index) => ((top >> index) & 1 ? sum ^ each : sum), next)
  }, 1)
}

function payeeOf(decoding: Decoding): string | undefined {
  return decoding.ok ? decoding.invoice.payee : undefined
}
