import { X509Certificate } from 'node:crypto'
import { LnurlpResponse, PayReqResponse, PubKeyResponse } from '@uma-sdk/core'
import { encrypt } from 'eciesjs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decodeInvoice, type DecodedInvoice } from '@/lib/lightning/bolt11'
import type { Statement } from '@/lib/platform/db/statement'
import { describeOnBothEngines } from '@/test/databases/databases'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { makeSecondSender, newNonce, nowSeconds, sha256, type PayBody } from '@/test/uma/sender'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { payAddressFor } from './pay-address'
import { makeUmaServer } from './server'

const HOME = 'http://localhost:3000'

describeOnBothEngines('The UMA server', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let bob: string
  let payer: string
  let answer: ReturnType<typeof makeUmaServer>

  beforeAll(async () => {
    other = await startOtherVasp()
    vasp = await makeTestVasp(db(), {
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: `${other.domain},localhost:1`,
    })
    answer = makeUmaServer(vasp.app)
    payer = `$carol@${other.domain}`
  })
  afterAll(() => other.stop())
  beforeEach(async () => {
    bob = await newUser(vasp, { EUR: 0n, SAT: 0n })
  })

  const get = async (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    read(await answer(new Request(`${HOME}${path}`, { headers })))
  const post = async (path: string, body: unknown): Promise<Answer> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return read(await answer(new Request(`${HOME}${path}`, { method: 'POST', body: text })))
  }
  const address = (): string => `$${bob}@localhost:3000`
  const lookUp = (version = '1.0', over: Record<string, string | undefined> = {}, name = `$${bob}`): Promise<Answer> =>
    get(`/.well-known/lnurlp/${name}?${other.sender.lookUpQuery(`${name}@localhost:3000`, version, over)}`)
  /** The pay address in the answer to a lookup. */
  const payPath = (name = bob, domain = other.domain, { settings, uma } = vasp.app): string => {
    if (uma === undefined) throw new Error('no keys')
    return new URL(payAddressFor({ settings, keys: uma.keys }, name, domain)).pathname
  }
  const pay = (fields: Record<string, unknown>, compliance = {}): Promise<Answer> =>
    post(payPath(), other.sender.payRequest(payer, fields, compliance))
  const count = async (table: string): Promise<number> => {
    const rows = await db().query<{ n: number }>({
      name: `test_count_${table}`,
      text: `select count(*)::int as n from ${table}`,
    })
    return rows[0]?.n ?? -1
  }
  const invoiceIn = ({ body }: Answer): DecodedInvoice => {
    const decoded = decodeInvoice(String(body.pr), 'regtest')
    if (!decoded.ok) throw new Error(decoded.reason)
    return decoded.invoice
  }
  const stored = async ({ body }: Answer): Promise<Record<string, unknown>> => {
    const text = `select r.*, i.fixed_credit, i.description, i.payment_hash from uma_pay_requests r join invoices i on i.id = r.invoice_id where i.invoice = $1`
    const [row] = await db().query({ name: 'test_stored', text }, [String(body.pr)])
    return row ?? {}
  }
  const refused = (code: string, status = 400): unknown =>
    expect.objectContaining({
      status,
      body: expect.objectContaining({ status: 'ERROR', code, reason: expect.any(String) }),
    })

  describe('the stated minimum and maximum with a receive fee', () => {
    let keeping: ReturnType<typeof makeUmaServer>
    beforeAll(async () => {
      const { umaSigningKeyHex = '', umaEncryptionKeyHex = '' } = vasp.app.settings
      const settings = {
        UMA_SIGNING_KEY: umaSigningKeyHex,
        UMA_ENCRYPTION_KEY: umaEncryptionKeyHex,
        UMA_LOCAL_PEERS: `${other.domain},localhost:1`,
        RECEIVE_FEE_BPS: '333',
      }
      keeping = makeUmaServer((await makeTestVasp(db(), settings)).app)
    })
    const ask = async (path: string, body?: string): Promise<Answer> =>
      read(await keeping(new Request(`${HOME}${path}`, body === undefined ? {} : { method: 'POST', body })))
    const stated = async (name: string): Promise<Answer['body']> => {
      const query = other.sender.lookUpQuery(`${name}@localhost:3000`, '1.0')
      return (await ask(`/.well-known/lnurlp/${name}?${query}`)).body
    }
    const payTo = (name: string, amount: string, convert: string): Promise<Answer> =>
      ask(payPath(name), JSON.stringify(other.sender.payRequest(payer, { amount, convert })))

    test.each(['EUR', 'SAT'] as const)(
      'can be paid in millisatoshis to a wallet in %s, and an amount just outside them cannot',
      async (code) => {
        const name = await newUser(vasp, { [code]: 0n })
        const { minSendable, maxSendable } = await stated(`$${name}`)
        for (const msats of [minSendable, maxSendable])
          expect((await payTo(name, String(msats), code)).status).toBe(200)
        for (const msats of [Number(minSendable) - 1, Number(maxSendable) + 1])
          expect(await payTo(name, String(msats), code)).toEqual(refused('AMOUNT_OUT_OF_RANGE'))
      },
    )

    test.each(['EUR', 'SAT'] as const)(
      'can be paid in units of %s, and an amount outside them cannot',
      async (code) => {
        const name = await newUser(vasp, { [code]: 0n })
        const [currency] = (await stated(`$${name}`)).currencies as { convertible: { min: number; max: number } }[]
        const { min, max } = currency?.convertible ?? { min: 0, max: 0 }
        for (const units of [min, max]) expect((await payTo(name, `${units}.${code}`, code)).status).toBe(200)
        for (const units of [min - 1, max + 1])
          expect(await payTo(name, `${units}.${code}`, code)).toEqual(refused('AMOUNT_OUT_OF_RANGE'))
      },
    )

    test('can be paid over plain LNURL to the default wallet, and a lower amount cannot', async () => {
      // A yen is worth less than a cent, and plain payments do not go to the yen wallet.
      const name = await newUser(vasp, { EUR: 0n, JPY: 0n })
      const { minSendable } = (await ask(`/.well-known/lnurlp/${name}`)).body
      const payPlain = (msats: number): Promise<Answer> => ask(`/uma/pay/${name}?amount=${msats}`)
      expect((await payPlain(Number(minSendable))).status).toBe(200)
      expect(await payPlain(Number(minSendable) - 1)).toEqual(refused('AMOUNT_OUT_OF_RANGE'))
    })
  })

  describe('keys', () => {
    test('are published raw and in certificate chains, the same on every instance, and the SDK reads them', async () => {
      const { status, body } = await get('/.well-known/lnurlpubkey')
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual([
        'signingCertChain',
        'encryptionCertChain',
        'signingPubKey',
        'encryptionPubKey',
        'expirationTimestamp',
      ])
      const keys = PubKeyResponse.fromJson(JSON.stringify(body))
      expect(Buffer.from(keys.getSigningPubKey()).toString('hex')).toBe(body.signingPubKey)
      expect(Buffer.from(keys.getEncryptionPubKey()).toString('hex')).toBe(body.encryptionPubKey)
      expect(body.signingPubKey).not.toBe(body.encryptionPubKey)
      const sibling = await makeTestVasp(db(), {
        UMA_SIGNING_KEY: vasp.app.settings.umaSigningKeyHex ?? '',
        UMA_ENCRYPTION_KEY: vasp.app.settings.umaEncryptionKeyHex ?? '',
      })
      expect(sibling.app.uma?.certificates).toEqual(vasp.app.uma?.certificates)
      expect(Number(body.expirationTimestamp)).toBeLessThanOrEqual(nowSeconds() + 301)
    })

    test('that were changed receive a new certificate', async () => {
      const signing = async (): Promise<string> => {
        const changed = { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() }
        const { uma } = (await makeTestVasp(db(), changed)).app
        const [leaf = ''] = uma?.certificates.signing ?? []
        const spki = new X509Certificate(Buffer.from(leaf, 'hex')).publicKey.export({ type: 'spki', format: 'der' })
        expect(spki.subarray(-65).toString('hex')).toBe(uma?.keys.signing.publicKeyHex)
        return leaf
      }
      expect(await signing()).not.toBe(await signing())
    })

    test('that are not set lead to 404 for every message', async () => {
      const silent = makeUmaServer((await makeTestVasp(db())).app)
      for (const path of ['/.well-known/lnurlpubkey', `/.well-known/lnurlp/${bob}`])
        expect((await silent(new Request(`${HOME}${path}`))).status).toBe(404)
    })
  })

  describe('a lookup', () => {
    test('over UMA 1 is answered with the user’s currencies in order, signed, and the SDK reads it', async () => {
      const { status, body } = await lookUp()
      expect(status).toBe(200)
      expect(body).toMatchObject({
        tag: 'payRequest',
        callback: `${HOME}${payPath()}`,
        umaVersion: '1.0',
        minSendable: 1_000,
        maxSendable: 10_000_000_000,
        commentAllowed: 150,
        compliance: { receiverIdentifier: address(), kycStatus: 'VERIFIED', isSubjectToTravelRule: true },
        payerData: { identifier: { mandatory: true }, compliance: { mandatory: true } },
      })
      const response = LnurlpResponse.fromJson(JSON.stringify(body))
      expect(response.isUma()).toBe(true)
      expect(response.currencies?.map(({ code }) => code)).toEqual(['EUR', 'SAT'])
      expect(body.currencies).toMatchObject([
        { code: 'EUR', decimals: 2, multiplier: 1_000_000 / 92, convertible: { min: 1 } },
        { code: 'SAT', decimals: 0, multiplier: 1_000, convertible: { min: 1, max: 10_000_000 } },
      ])
      expect(JSON.parse(String(body.metadata))).toContainEqual(['text/identifier', address()])
    })

    test('over UMA 0 is answered in the format of version 0', async () => {
      const { body } = await lookUp('0.3')
      expect(body).toMatchObject({ umaVersion: '0.3', currencies: [{ code: 'EUR', minSendable: 1 }, { code: 'SAT' }] })
      expect(body.currencies).not.toMatchObject([{ convertible: {} }, {}])
    })

    test('over plain LNURL is answered without UMA fields, with and without the dollar sign', async () => {
      for (const name of [bob, `$${bob}`, `%24${bob}`]) {
        const { status, body, headers } = await get(`/.well-known/lnurlp/${name}`)
        expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
        expect(body).toMatchObject({ tag: 'payRequest', minSendable: 1_000 })
        expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['umaVersion']))
        expect(JSON.parse(String(body.metadata))).toContainEqual(['text/identifier', address().slice(1)])
      }
    })

    test('may spell the name in capitals, which the answer repeats', async () => {
      const { status, body } = await lookUp('1.0', {}, `$${bob.toUpperCase()}`)
      expect([status, (body.compliance as { receiverIdentifier: string }).receiverIdentifier]).toEqual([
        200,
        `$${bob.toUpperCase()}@localhost:3000`,
      ])
    })

    test('with a thousand backing signatures is answered, and no named domain is contacted', async () => {
      const vouchers = Array.from({ length: 1_000 }, (_, n) => `localhost:${n}:ab`).join(',')
      await lookUp()
      const before = other.asked.length
      expect((await lookUp('1.0', { backingSignatures: vouchers })).status).toBe(200)
      expect(other.asked).toHaveLength(before)
    })

    test('in another version is answered with the supported versions, even without other parameters', async () => {
      const unsupported = { status: 412, body: { code: 'UNSUPPORTED_UMA_VERSION', supportedMajorVersions: [1, 0] } }
      expect(await get(`/.well-known/lnurlp/$${bob}?umaVersion=2.0`)).toMatchObject(unsupported)
      expect(await lookUp('2.1')).toMatchObject(unsupported)
      for (const version of ['1', '1.x', '1.', 'x', '1.0.0', ' 1.0', '1e1.0'])
        expect(await lookUp(version), version).toEqual(refused('INVALID_INPUT'))
    })

    test.each(['signature', 'vaspDomain', 'nonce', 'timestamp', 'umaVersion'])(
      'is incomplete without %s',
      async (name) => {
        expect(await lookUp('1.0', { [name]: undefined })).toEqual(refused('MISSING_REQUIRED_UMA_PARAMETERS'))
      },
    )

    test('of a missing or suspended user is refused', async () => {
      expect(await lookUp('1.0', {}, '$nobody')).toEqual(refused('USER_NOT_FOUND', 404))
      expect(await get('/.well-known/lnurlp/nobody')).toEqual(refused('USER_NOT_FOUND', 404))
      await db().prisma.user.update({ where: { id: bob }, data: { status: 'suspended' } })
      expect(await lookUp()).toEqual(refused('USER_NOT_READY', 403))
    })

    test('of a missing user takes the same steps as one of an existing user, so its duration reveals nothing', async () => {
      const steps: string[] = []
      const watched = {
        ...db(),
        query: <Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<Row[]> => {
          steps.push(statement.name)
          return db().query(statement, params)
        },
      }
      let signed = 0
      const uma = vasp.app.uma
      if (uma === undefined) throw new Error('no keys')
      const signing = {
        ...uma.keys.signing,
        get secret() {
          signed += 1
          return uma.keys.signing.secret
        },
      }
      const ports = { ...vasp.app, db: watched, uma: { ...uma, keys: { ...uma.keys, signing } } }
      const stepsFor = async (name: string): Promise<unknown> => {
        steps.length = signed = 0
        const query = other.sender.lookUpQuery(`${name}@localhost:3000`, '1.0')
        await makeUmaServer(ports)(new Request(`${HOME}/.well-known/lnurlp/${name}?${query}`))
        return [[...steps], signed]
      }
      await stepsFor(`$${bob}`)
      const known = await stepsFor(`$${bob}`)
      // The secret is read twice: for the mark in the returned address and for the signature.
      expect(known).toEqual([['uma_user_of_message'], 2])
      expect(await stepsFor('$nobody')).toEqual(known)
    })

    test('with another Host is refused with 404', async () => {
      expect(await get(`/.well-known/lnurlp/${bob}`, { Host: 'evil.example' })).toEqual(
        refused('REQUEST_NOT_FOUND', 404),
      )
    })

    test.each(['$bob%2f..', '$bob bob', '$%00', `$${'x'.repeat(64)}`, '$b@b'])('of %s cannot be read', async (name) => {
      expect(await get(`/.well-known/lnurlp/${encodeURIComponent(name)}`)).toEqual(
        refused('PARSE_LNURLP_REQUEST_ERROR'),
      )
    })
  })

  describe('a signed message', () => {
    test.each([
      ['eleven minutes old', -660],
      ['three minutes ahead', 180],
      ['ten years ahead', 315_360_000],
    ])('is refused when it is %s', async (_, seconds) => {
      expect(await lookUp('1.0', { timestamp: String(nowSeconds() + seconds) })).toEqual(refused('INVALID_TIMESTAMP'))
    })
    test.each(['NaN', '-5', '1e3', '99999999999999', '1.5'])(
      'is refused when its timestamp is %s',
      async (timestamp) => {
        expect((await lookUp('1.0', { timestamp })).body.code).toBe('INVALID_TIMESTAMP')
      },
    )
    test('is refused when its nonce contains the separator of signed fields, so that no text can be read in two ways', async () => {
      const nonce = `$carol@elsewhere.example|${newNonce()}`
      expect(await lookUp('1.0', { nonce })).toEqual(refused('INVALID_NONCE'))
    })
    test('is accepted when it is less than ten minutes old or two minutes ahead', async () => {
      for (const seconds of [-590, 110])
        expect((await lookUp('1.0', { timestamp: String(nowSeconds() + seconds) })).status).toBe(200)
    })

    test.each([
      ['made with another key', makeSecondSender('x.example').sign('anything')],
      ['malformed', 'ab'.repeat(35)],
      ['not even hex', 'zz'],
      ['empty', ''],
    ])('is refused when its signature is %s, and its nonce is not used up', async (_, signature) => {
      const nonce = newNonce()
      const before = await count('uma_nonces')
      const { status, body } = await lookUp('1.0', { signature, nonce })
      expect([401, 400]).toContain(status)
      expect(['INVALID_SIGNATURE', 'MISSING_REQUIRED_UMA_PARAMETERS']).toContain(body.code)
      expect(await count('uma_nonces')).toBe(before)
      expect((await lookUp('1.0', { nonce })).status).toBe(200)
    })

    test('is accepted with the high-S form of its signature', async () => {
      const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const [nonce, timestamp] = [newNonce(), String(nowSeconds())]
      const der = Buffer.from(other.sender.sign([address(), nonce, timestamp].join('|')), 'hex')
      const rLength = der[3] ?? 0
      const r = BigInt(`0x${der.subarray(4, 4 + rLength).toString('hex')}`)
      const s = BigInt(`0x${der.subarray(6 + rLength).toString('hex')}`)
      const part = (value: bigint): string => {
        // DER requires the shortest form: one `r` in 256 has fewer than 32 bytes.
        const hex = value.toString(16)
        const even = hex.length % 2 === 0 ? hex : `0${hex}`
        const whole = Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even
        return `02${(whole.length / 2).toString(16).padStart(2, '0')}${whole}`
      }
      const body = part(r) + part(ORDER - s)
      const signature = `30${(body.length / 2).toString(16)}${body}`
      expect((await lookUp('1.0', { nonce, timestamp, signature })).status).toBe(200)
    })

    test('is accepted only once, on any instance, even after a restart', async () => {
      const nonce = newNonce()
      const query = other.sender.lookUpQuery(address(), '1.0', { nonce })
      const path = `/.well-known/lnurlp/$${bob}?${query}`
      expect((await get(path)).status).toBe(200)
      expect(await get(path)).toEqual(refused('INVALID_NONCE'))
      const sibling = await makeTestVasp(db(), {
        UMA_SIGNING_KEY: vasp.app.settings.umaSigningKeyHex ?? '',
        UMA_ENCRYPTION_KEY: vasp.app.settings.umaEncryptionKeyHex ?? '',
        UMA_LOCAL_PEERS: other.domain,
      })
      expect(await read(await makeUmaServer(sibling.app)(new Request(`${HOME}${path}`)))).toEqual(
        refused('INVALID_NONCE'),
      )
    })

    test('is accepted only once for as long as its timestamp is valid', async () => {
      const timestamp = String(nowSeconds() + 110)
      const path = `/.well-known/lnurlp/$${bob}?${other.sender.lookUpQuery(address(), '1.0', { timestamp })}`
      expect((await get(path)).status).toBe(200)
      const later = { now: () => new Date(Date.now() + 660_000) }
      const asked = await makeUmaServer({ ...vasp.app, clock: later })(new Request(`${HOME}${path}`))
      expect(await read(asked)).toEqual(refused('INVALID_NONCE'))
    })

    test('that arrives fifty times concurrently is accepted only once', async () => {
      const path = `/.well-known/lnurlp/$${bob}?${other.sender.lookUpQuery(address(), '1.0')}`
      const all = await Promise.all(Array.from({ length: 50 }, () => get(path)))
      expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(all.filter(({ body }) => body.code === 'INVALID_NONCE')).toHaveLength(49)
    })

    test('may have a nonce that another VASP has used too', async () => {
      const second = await startOtherVasp()
      try {
        const both = await makeTestVasp(db(), {
          UMA_SIGNING_KEY: newNodeSecret(),
          UMA_ENCRYPTION_KEY: newNodeSecret(),
          UMA_LOCAL_PEERS: `${other.domain},${second.domain}`,
        })
        const nonce = newNonce()
        for (const { sender } of [other, second]) {
          const query = sender.lookUpQuery(address(), '1.0', { nonce })
          const asked = await makeUmaServer(both.app)(new Request(`${HOME}/.well-known/lnurlp/$${bob}?${query}`))
          expect(asked.status).toBe(200)
        }
      } finally {
        second.stop()
      }
    })

    // lib/platform/net/allowed-host.test.ts has the table. `localhost:3000` is the VASP itself.
    test.each(['169.254.169.254', 'localhost:5432', 'localhost:3000'])(
      'in the name of %s is refused, and no keys are fetched',
      async (vaspDomain) => {
        const before = other.asked.length
        expect(await lookUp('1.0', { vaspDomain })).toEqual(refused('COUNTERPARTY_NOT_ALLOWED', 403))
        expect(other.asked).toHaveLength(before)
      },
    )

    test('in the name of a VASP without keys is refused, and its keys are not fetched again for a minute', async () => {
      const gone = await startOtherVasp()
      try {
        gone.answers.keys = (_request, response) => void response.writeHead(500).end()
        const third = await makeTestVasp(db(), {
          UMA_SIGNING_KEY: newNodeSecret(),
          UMA_ENCRYPTION_KEY: newNodeSecret(),
          UMA_LOCAL_PEERS: gone.domain,
        })
        const rows = [await count('uma_remote_keys'), await count('uma_nonces')]
        for (let times = 0; times < 20; times += 1) {
          const query = gone.sender.lookUpQuery(address(), '1.0')
          const asked = await makeUmaServer(third.app)(new Request(`${HOME}/.well-known/lnurlp/$${bob}?${query}`))
          expect(await read(asked)).toEqual(refused('COUNTERPARTY_PUBKEY_FETCH_ERROR', 424))
        }
        expect(gone.asked).toHaveLength(1)
        expect([await count('uma_remote_keys'), await count('uma_nonces')]).toEqual(rows)
      } finally {
        gone.stop()
      }
    })
  })

  describe('a pay request', () => {
    test('with the receiving side locked is answered with an invoice for the cost of exactly the locked units', async () => {
      const answered = await pay({ amount: '100.EUR', convert: 'EUR' })
      expect(answered.status).toBe(200)
      // 100 cents at 1,000,000 / 92 msats: 1,086,956.5…
      const { amountMsats, payee, expiresAtSeconds } = invoiceIn(answered)
      expect([amountMsats, payee]).toEqual([1_086_957n, vasp.app.node.identity.publicKeyHex])
      expect(expiresAtSeconds - nowSeconds()).toBeLessThanOrEqual(600)
      expect(answered.body).toMatchObject({
        routes: [],
        converted: { amount: 100, currencyCode: 'EUR', decimals: 2, fee: 0, multiplier: 1_000_000 / 92 },
        payeeData: { identifier: address(), compliance: { utxos: [], nodePubKey: payee } },
      })
      expect(Object.keys(answered.body.payeeData as object).sort()).toEqual(['compliance', 'identifier'])
      expect(await stored(answered)).toMatchObject({
        protocol: 'uma-1',
        payer_address: payer,
        fixed_credit: 100n,
        payer_data: {},
      })
      const response = PayReqResponse.fromJson(JSON.stringify(answered.body))
      expect(response.isUma()).toBe(true)
    })

    test('with the sending side locked is answered with an invoice for exactly the locked millisatoshis, and with their value rounded down', async () => {
      const answered = await pay({ amount: '1086956', convert: 'EUR' })
      expect(invoiceIn(answered).amountMsats).toBe(1_086_956n)
      expect(answered.body).toMatchObject({ converted: { amount: 99 } })
    })

    test('of version 0 counts units of the currency, and is answered in the format of version 0', async () => {
      const answered = await post(payPath(), other.sender.oldPayRequest(payer, 100, 'EUR'))
      expect(invoiceIn(answered).amountMsats).toBe(1_086_957n)
      expect(answered.body).toMatchObject({
        paymentInfo: { currencyCode: 'EUR', decimals: 2, exchangeFeesMillisatoshi: 0 },
        compliance: { utxos: [] },
      })
      expect(await stored(answered)).toMatchObject({ protocol: 'uma-0', fixed_credit: 100n })
    })

    test('of version 0 is answered without payeeData.compliance, by which the Python SDK recognizes version 1', async () => {
      const { body } = await post(payPath(), other.sender.oldPayRequest(payer, 100, 'EUR'))
      expect(body.payeeData).toEqual({ identifier: address() })
      const { umaMajorVersion, payeeData } = PayReqResponse.fromJson(JSON.stringify(body))
      expect(umaMajorVersion).toBe(0)
      expect(body.compliance).toMatchObject(payeeData?.compliance ?? { utxos: 'none' })
    })

    test('is answered with an invoice that commits to the metadata and to the payer data as received', async () => {
      const { body: found } = await lookUp()
      const body = other.sender.payRequest(payer, { amount: '5.SAT', convert: 'SAT' }, { zeta: 1, alpha: 2 })
      const { descriptionHash } = invoiceIn(await post(payPath(), body))
      expect(descriptionHash).toBe(sha256(`${String(found.metadata)}${JSON.stringify(body.payerData)}`))
    })

    test('has its travel rule information decrypted for the event of the payee, and stored or logged nowhere else', async () => {
      const keys = await get('/.well-known/lnurlpubkey')
      const secret = 'Carol C. Sender, 1 Very Private Road'
      const blob = Buffer.from(encrypt(String(keys.body.encryptionPubKey), Buffer.from(secret))).toString('hex')
      const compliance = { encryptedTravelRuleInfo: blob, travelRuleFormat: 'ivms@101.1' }
      const before = vasp.recorded.length
      const row = await stored(await pay({ amount: '5.SAT', convert: 'SAT' }, compliance))
      const told = vasp.recorded.slice(before).filter((event) => JSON.stringify(event).includes('Private'))
      expect(told).toMatchObject([
        {
          name: 'pay request received',
          userId: bob,
          paymentHash: row.payment_hash,
          detail: { travelRule: { format: 'ivms@101.1', text: secret } },
        },
      ])
      expect(
        JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      ).not.toMatch(`Carol|${blob.slice(0, 40)}`)
      const damaged = blob.replace(/..$/, (last) => (last === '00' ? '01' : '00'))
      for (const wrong of ['zz', 'ab', 'ab'.repeat(20_000), damaged])
        expect(await pay({ amount: '5.SAT', convert: 'SAT' }, { encryptedTravelRuleInfo: wrong })).toEqual(
          refused('INVALID_INPUT'),
        )
      const refusedPay = await pay({ amount: '0.SAT', convert: 'SAT' }, compliance)
      expect(refusedPay).toEqual(refused('AMOUNT_OUT_OF_RANGE'))
      expect(vasp.recorded.at(-1)?.detail?.travelRule).toBeUndefined()
      expect(vasp.logged.join('')).not.toContain('Private')
      expect(vasp.logged.join('')).not.toContain(blob.slice(0, 40))
    })

    test('stores the other VASP’s callback URL if it is on that VASP’s domain, and returns an unguessable URL of its own', async () => {
      const theirs = `http://${other.domain}/told/1`
      const first = await pay({ amount: '5.SAT', convert: 'SAT' }, { utxoCallback: theirs })
      const { callback_id: id, remote_callback_url: kept } = await stored(first)
      expect(kept).toBe(theirs)
      expect(String(id)).toMatch(/^[\w-]{43}$/)
      expect(first.body).toMatchObject({
        payeeData: { compliance: { utxoCallback: `${HOME}/uma/callback/${String(id)}` } },
      })
      for (const elsewhere of ['http://localhost:5432/', 'https://evil.example/', 'http://169.254.169.254/', 'nothing'])
        expect(
          (await stored(await pay({ amount: '5.SAT', convert: 'SAT' }, { utxoCallback: elsewhere })))
            .remote_callback_url,
        ).toBeNull()
    })

    test.each([
      ['0.SAT', 'AMOUNT_OUT_OF_RANGE'],
      ['-5', 'AMOUNT_OUT_OF_RANGE'],
      ['1e3', 'AMOUNT_OUT_OF_RANGE'],
      ['1e30', 'AMOUNT_OUT_OF_RANGE'],
      ['5.5', 'AMOUNT_OUT_OF_RANGE'],
      ['5.', 'AMOUNT_OUT_OF_RANGE'],
      ['10.USD.EUR', 'AMOUNT_OUT_OF_RANGE'],
      ['12345678901234567890', 'AMOUNT_OUT_OF_RANGE'],
      ['', 'AMOUNT_OUT_OF_RANGE'],
      ['999', 'AMOUNT_OUT_OF_RANGE'],
      ['10000001.SAT', 'AMOUNT_OUT_OF_RANGE'],
      ['10000000001', 'AMOUNT_OUT_OF_RANGE'],
      ['5.EUR', 'INVALID_CURRENCY'],
    ])('of %s SAT is refused', async (amount, code) => {
      const before = await count('invoices')
      expect(await pay({ amount, convert: 'SAT' })).toEqual(refused(code))
      expect(await count('invoices')).toBe(before)
    })

    test.each([
      [{ convert: 'USD' }, 'INVALID_CURRENCY'],
      [{ convert: 'XXX' }, 'INVALID_CURRENCY'],
      [{ convert: 'sat' }, 'INVALID_CURRENCY'],
      [{}, 'INVALID_CURRENCY'],
      [{ convert: 'SAT', comment: 'x'.repeat(151) }, 'INVALID_INPUT'],
      [{ convert: 'SAT', comment: 'a\0b' }, 'PARSE_PAYREQ_REQUEST_ERROR'],
      [{ convert: 'SAT', settlement: { layer: 'spark' } }, 'INVALID_INPUT'],
      [{ convert: 'SAT', settlement: { layer: 'spark', assetIdentifier: 'BTC' } }, 'INVALID_INPUT'],
      [{ convert: 'SAT', settlement: { layer: 'ln', assetIdentifier: 'USDT' } }, 'INVALID_INPUT'],
      [{ convert: 'SAT', settlement: 'ln' }, 'INVALID_INPUT'],
      [{ convert: 'SAT', invoiceUUID: 'x' }, 'PARSE_PAYREQ_REQUEST_ERROR'],
      [{ convert: 'SAT', invoiceUUID: '00000000-0000-4000-8000-000000000000' }, 'INVALID_INVOICE'],
      [{ convert: 'SAT', payerData: {} }, 'MISSING_MANDATORY_PAYER_DATA'],
      [{ convert: 'SAT', payerData: undefined }, 'MISSING_MANDATORY_PAYER_DATA'],
      [{ convert: 'SAT', payeeData: { email: { mandatory: true } } }, 'MISSING_MANDATORY_PAYEE_DATA'],
    ])('with %j is refused', async (fields, code) => {
      expect(await pay({ amount: '5000', ...fields })).toEqual(refused(code))
    })

    test.each([null, '', undefined])('with optional members that are %j is answered', async (none) => {
      const members = { comment: none, invoiceUUID: none, settlement: none, payeeData: none, currency: none }
      const compliance = { utxoCallback: none, nodePubKey: none, encryptedTravelRuleInfo: none, travelRuleFormat: none }
      expect((await pay({ amount: '5000', convert: 'SAT', ...members }, compliance)).status).toBe(200)
    })

    test('with the default settlement stated is answered', async () => {
      const settlement = { layer: 'ln', assetIdentifier: 'BTC' }
      expect((await pay({ amount: '5000', convert: 'SAT', settlement })).status).toBe(200)
    })

    test('with a kycStatus unknown to the protocol cannot be read', async () => {
      const fields = { amount: '5000', convert: 'SAT' }
      expect(await pay(fields, { kycStatus: 'GOLD' })).toEqual(refused('PARSE_PAYREQ_REQUEST_ERROR'))
      expect(await pay(fields, { kycStatus: undefined })).toEqual(refused('MISSING_MANDATORY_PAYER_DATA'))
    })

    test.each(['fiLegalEntityName', 'countryCode', 'accountNumber', 'birthDate', 'phoneNumber'])(
      'that requires %s, which the protocol defines, is refused for missing payee data',
      async (key) => {
        const payeeData = { [key]: { mandatory: true } }
        expect(await pay({ amount: '5000', convert: 'SAT', payeeData })).toEqual(
          refused('MISSING_MANDATORY_PAYEE_DATA'),
        )
      },
    )

    test('that requires an unknown payee field is answered with 501', async () => {
      const payeeData = { shoeSize: { mandatory: true } }
      expect(await pay({ amount: '5000', convert: 'SAT', payeeData })).toEqual(
        refused('UNRECOGNIZED_MANDATORY_PAYEE_DATA_KEY', 501),
      )
    })

    test('in the name of a user of another VASP is refused', async () => {
      const body = other.sender.payRequest('$alice@localhost:1', { amount: '5000', convert: 'SAT' })
      expect((await post(payPath(bob, 'localhost:1'), body)).body.code).toBe('COUNTERPARTY_PUBKEY_FETCH_ERROR')
      const second = await startOtherVasp()
      const trusting = await makeTestVasp(db(), {
        UMA_SIGNING_KEY: newNodeSecret(),
        UMA_ENCRYPTION_KEY: newNodeSecret(),
        UMA_LOCAL_PEERS: `${other.domain},${second.domain}`,
      })
      try {
        const forged = other.sender.payRequest(`$alice@${second.domain}`, { amount: '5000', convert: 'SAT' })
        const url = `${HOME}${payPath(bob, second.domain, trusting.app)}`
        const request = new Request(url, { method: 'POST', body: JSON.stringify(forged) })
        expect(await read(await makeUmaServer(trusting.app)(request))).toEqual(refused('INVALID_SIGNATURE', 401))
      } finally {
        second.stop()
      }
    })

    test('with the signature of a lookup’s answer is refused at every address except the one issued to the signing VASP', async () => {
      const second = await startOtherVasp()
      const trusting = await makeTestVasp(db(), {
        UMA_SIGNING_KEY: newNodeSecret(),
        UMA_ENCRYPTION_KEY: newNodeSecret(),
        UMA_LOCAL_PEERS: `${other.domain},${second.domain}`,
      })
      const ask = makeUmaServer(trusting.app)
      const callbackFor = async ({ sender }: OtherVasp): Promise<string> => {
        const query = sender.lookUpQuery(address(), '1.0')
        const found = await read(await ask(new Request(`${HOME}/.well-known/lnurlp/$${bob}?${query}`)))
        return String(found.body.callback)
      }
      const victim = `$alice@${other.domain}`
      // The victim's VASP gives this signature to any client that looks the victim up. It covers the same fields as that
      // of a pay request.
      const lookedUp = (): Record<string, unknown> => other.sender.signed(victim)
      const payAt = async (url: string, more = {}): Promise<Answer> => {
        const body = second.sender.payRequest(victim, { amount: '5000', convert: 'SAT', ...more }, lookedUp())
        return read(await ask(new Request(url, { method: 'POST', body: JSON.stringify(body) })))
      }
      try {
        const [own, theirs] = [await callbackFor(second), await callbackFor(other)]
        expect(own).not.toBe(theirs)
        for (const url of [own, `${HOME}/uma/pay/${bob}`, `${own}A`, `${HOME}/uma/pay/${bob}/x`])
          expect(await payAt(url)).toEqual(refused('FORBIDDEN', 403))
        // In the refused requests, only the address was wrong.
        expect((await payAt(theirs)).status).toBe(200)
        expect(trusting.logged.join('')).not.toContain(theirs.split('/').at(-1))
      } finally {
        second.stop()
      }
    })

    test.each(['169.254.169.254', 'localhost:3000'])(
      'of a payer at %s is refused, and no keys are fetched',
      async (domain) => {
        const before = other.asked.length
        const body = other.sender.payRequest(`$alice@${domain}`, { amount: '5000', convert: 'SAT' })
        expect(await post(payPath(), body)).toEqual(refused('COUNTERPARTY_NOT_ALLOWED', 403))
        expect(other.asked).toHaveLength(before)
      },
    )

    test('that is repeated is refused', async () => {
      const body: PayBody = other.sender.payRequest(payer, { amount: '5000', convert: 'SAT' })
      expect((await post(payPath(), body)).status).toBe(200)
      expect(await post(payPath(), body)).toEqual(refused('INVALID_NONCE'))
    })

    test.each(['', 'x', '[]', '1', 'null', '{"amount":'])('that is %j cannot be read', async (text) => {
      expect(await post(payPath(), text)).toEqual(refused('PARSE_PAYREQ_REQUEST_ERROR'))
    })

    test.each<[string, Record<string, unknown>]>([
      ['a NUL in a name', { name: 'a\0b' }],
      ['a lone surrogate in a name', { name: '\ud800' }],
      ['a NUL in an unknown field', { 'x\0': 1 }],
      ['arrays nested thirty thousand deep', { deep: 'DEEP' }],
    ])('with %s cannot be read, and no invoice is created for it', async (_, more) => {
      const before = await count('invoices')
      const body = other.sender.payRequest(payer, { amount: '5000', convert: 'SAT' })
      const text = JSON.stringify({ ...body, payerData: { ...body.payerData, ...more } })
      const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
      expect(await post(payPath(), text.replace('"DEEP"', deep))).toEqual(refused('PARSE_PAYREQ_REQUEST_ERROR'))
      const compliance = { utxoCallback: `http://${other.domain}/told\0` }
      expect(await pay({ amount: '5000', convert: 'SAT' }, compliance)).toEqual(refused('PARSE_PAYREQ_REQUEST_ERROR'))
      expect(await count('invoices')).toBe(before)
    })

    test('for a name that the database cannot store is refused', async () => {
      const body = other.sender.payRequest(payer, { amount: '5000', convert: 'SAT' })
      expect(await post('/uma/pay/%00', body)).toEqual(refused('FORBIDDEN', 403))
      expect(await get('/uma/pay/%00?amount=5000')).toEqual(refused('USER_NOT_FOUND', 404))
      expect(await post('/uma/callback/%00', other.sender.callback())).toEqual(refused('REQUEST_NOT_FOUND', 404))
    })

    test('of more than 64 kB, for a missing user, or by another method is refused', async () => {
      expect((await post(payPath(), 'x'.repeat(70_000))).status).toBe(413)
      const body = other.sender.payRequest(payer, { amount: '5000', convert: 'SAT' })
      expect(await post(payPath('nobody'), body)).toEqual(refused('USER_NOT_FOUND', 404))
      const put = await answer(new Request(`${HOME}/uma/pay/${bob}`, { method: 'PUT', body: '{}' }))
      expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    })

    test('is refused while a hundred invoices for that VASP are unpaid, and a plain request is still answered', async () => {
      await db().query(
        {
          name: 'test_many_open',
          text: `with made as (
                   insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at)
                   select encode(sha256(secret), 'hex'), encode(secret, 'hex'), 'x' || n, $1, w.id, 1000, now() + interval '5 minutes'
                   from generate_series(1, 100) n, lateral (select sha256((n || $1)::bytea) as secret) s,
                        (select id from wallets where user_id = $1 limit 1) w returning id)
                 insert into uma_pay_requests (invoice_id, protocol, payer_address)
                 select id, 'uma-1', $2 from made`,
        },
        [bob, payer],
      )
      const answered = await pay({ amount: '5000', convert: 'SAT' })
      expect(answered).toEqual(refused('VELOCITY_LIMIT_EXCEEDED', 429))
      expect(answered.headers.get('retry-after')).toBe('60')
      expect((await get(`/uma/pay/${bob}?amount=5000`)).status).toBe(200)
    })
  })

  describe('a plain pay request', () => {
    test('is refused from a client with a hundred unpaid invoices, but not from other clients', async () => {
      const ask = async (remoteAddress: string | undefined): Promise<Answer> =>
        read(await answer(new Request(`${HOME}/uma/pay/${bob}?amount=5000`), { remoteAddress }))
      await manyOpen(100, '203.0.113.7')
      const answered = await ask('203.0.113.7')
      expect(answered).toEqual(refused('VELOCITY_LIMIT_EXCEEDED', 429))
      expect(answered.headers.get('retry-after')).toBe('60')
      expect((await ask('203.0.113.8')).status).toBe(200)
      expect((await ask(undefined)).status).toBe(200)
      expect((await pay({ amount: '5000', convert: 'SAT' })).status).toBe(200)
      await manyOpen(100, '2001:db8:0:1::/64')
      expect(await ask('2001:db8:0:1::7')).toEqual(refused('VELOCITY_LIMIT_EXCEEDED', 429))
      expect((await ask('2001:db8:0:2::7')).status).toBe(200)
    })

    test('is refused from every client while two thousand invoices are unpaid, but signed requests are answered', async () => {
      for (let client = 0; client < 20; client++) await manyOpen(100, `198.51.100.${client}`)
      expect(await get(`/uma/pay/${bob}?amount=5000`)).toEqual(refused('VELOCITY_LIMIT_EXCEEDED', 429))
      expect((await pay({ amount: '5000', convert: 'SAT' })).status).toBe(200)
    })

    const manyOpen = (made: number, network: string): Promise<unknown> =>
      db().query(
        {
          name: 'test_many_unsigned',
          text: `with made as (
                   insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at)
                   select encode(sha256(secret), 'hex'), encode(secret, 'hex'), 'x' || n, $1, w.id, 1000, now() + interval '5 minutes'
                   from generate_series(1, $3::int) n, lateral (select sha256((n || $1 || $2)::bytea) as secret) s,
                        (select id from wallets where user_id = $1 limit 1) w returning id)
                 insert into uma_pay_requests (invoice_id, protocol, payer_network)
                 select id, 'lnurl', $2 from made`,
        },
        [bob, network, made],
      )

    test('receives an invoice that commits to the lookup, with the comment', async () => {
      const { body: found } = await get(`/.well-known/lnurlp/${bob}`)
      const answered = await get(`/uma/pay/${bob}?amount=25000&comment=thanks`)
      expect([answered.status, answered.body.routes]).toEqual([200, []])
      const { amountMsats, descriptionHash } = invoiceIn(answered)
      expect([amountMsats, descriptionHash]).toEqual([25_000n, sha256(String(found.metadata))])
      expect(await stored(answered)).toMatchObject({
        protocol: 'lnurl',
        comment: 'thanks',
        payer_address: null,
        fixed_credit: 25_000n,
      })
    })

    test.each(['amount=25000&amount=26000', 'amount=25000&amount=25000', 'amount=25000&comment=a&comment=b'])(
      'with a parameter given twice is refused: %s',
      async (query) => {
        const before = await count('invoices')
        expect(await get(`/uma/pay/${bob}?${query}`)).toEqual(refused('PARSE_PAYREQ_REQUEST_ERROR'))
        expect(await count('invoices')).toBe(before)
      },
    )

    test.each(['', '0', '-1', '1.5', '5.SAT', '999', '10000000001', 'x'])('of %s is refused', async (amount) => {
      expect([400]).toContain((await get(`/uma/pay/${bob}?amount=${amount}`)).status)
    })
  })

  describe('a callback', () => {
    const callbackOf = async (): Promise<string> => {
      const answered = await pay({ amount: '5000', convert: 'SAT' })
      return `/uma/callback/${String((await stored(answered)).callback_id)}`
    }
    /** The events that belong to a payee. */
    const told = (): unknown[] =>
      vasp.recorded
        .filter(({ name, userId }) => name === 'UMA callback received' && userId === bob)
        .map(({ paymentHash }) => typeof paymentHash)

    test('is an event of the payment, whatever its content, and moves no money', async () => {
      const path = await callbackOf()
      const entries = await count('postings')
      const more = { transactionStatus: 'COMPLETED', utxos: [{ utxo: 'x:1', amountMsats: 1e15 }] }
      expect((await post(path, other.sender.callback(more))).status).toBe(200)
      expect((await post(path, other.sender.callback({ transactionStatus: 'FAILED' }))).status).toBe(200)
      expect(told()).toEqual(['string', 'string'])
      expect(await count('postings')).toBe(entries)
    })

    test.each([null, undefined, []])('is accepted when its list of outputs is %j', async (utxos) => {
      const path = await callbackOf()
      expect((await post(path, { ...other.sender.callback(), utxos })).status).toBe(200)
    })

    test('is refused when forged, malformed, repeated, from another VASP, or for an unknown payment', async () => {
      const path = await callbackOf()
      const message = other.sender.callback()
      expect(await post(path, { ...message, signature: makeSecondSender('x').sign('x') })).toEqual(
        refused('INVALID_SIGNATURE', 401),
      )
      expect(await post(path, { ...message, vaspDomain: 'localhost:1' })).toEqual(refused('FORBIDDEN', 403))
      expect(await post(path, { utxos: 1 })).toEqual(refused('PARSE_UTXO_CALLBACK_ERROR'))
      expect(await post(path, { ...message, more: '\0' })).toEqual(refused('PARSE_UTXO_CALLBACK_ERROR'))
      expect(await post('/uma/callback/guess', message)).toEqual(refused('REQUEST_NOT_FOUND', 404))
      expect(told()).toEqual([])
      expect((await post(path, message)).status).toBe(200)
      expect(await post(path, message)).toEqual(refused('INVALID_NONCE'))
    })
  })

  test('changed keys are fetched again before a signature is refused, and a forged one is refused after the fetch too', async () => {
    const moving = await startOtherVasp()
    try {
      const third = await makeTestVasp(db(), {
        UMA_SIGNING_KEY: newNodeSecret(),
        UMA_ENCRYPTION_KEY: newNodeSecret(),
        UMA_LOCAL_PEERS: moving.domain,
      })
      const ask = async (sender = moving.sender): Promise<number> => {
        const query = sender.lookUpQuery(address(), '1.0')
        return (await makeUmaServer(third.app)(new Request(`${HOME}/.well-known/lnurlp/$${bob}?${query}`))).status
      }
      const text = `update uma_remote_keys set fetched_at = fetched_at - interval '1 minute' where domain = $1`
      const makeOlder = (): Promise<unknown> => db().query({ name: 'test_older', text }, [moving.domain])
      expect([await ask(), await ask(), moving.asked.length]).toEqual([200, 200, 1])
      const changed = makeSecondSender(moving.domain)
      moving.keys = changed.keys
      // The keys were fetched just now, so a signature that does not verify causes no other fetch.
      expect([await ask(changed), moving.asked.length]).toEqual([401, 1])
      await makeOlder()
      expect([await ask(changed), await ask(changed), moving.asked.length]).toEqual([200, 200, 2])
      // The keys of the fetch decide, so it does not help a forger to cause one.
      await makeOlder()
      expect([await ask(makeSecondSender(moving.domain)), moving.asked.length]).toEqual([401, 3])
      const [row] = await db().query<{ seconds: number }>(
        {
          name: 'test_life',
          text: `select extract(epoch from expires_at - fetched_at)::int as seconds from uma_remote_keys where domain = $1`,
        },
        [moving.domain],
      )
      expect(row?.seconds).toBeLessThanOrEqual(300)
    } finally {
      moving.stop()
    }
  })
})
