import { describe, expect, it } from 'vitest'
import { pythonConfig } from '@/lib/backend/gateway-config'
import { newKeyPair } from '@/test/vasp/keys'
import { readGatewayConfig } from './gateway-config'

const read = (text: string): unknown => readGatewayConfig(text, 'gateway.py')

describe('the config file of the gateway command', () => {
  it('is read as npm run gateway:config prints it', () => {
    const { publicPem } = newKeyPair()
    const filled = {
      NWC_APP_ROOT_URL: 'http://localhost:8080',
      UMA_VASP_LOGIN_URL: 'http://localhost:3000/connect',
      UMA_VASP_TOKEN_EXCHANGE_URL: 'http://localhost:3000/umanwc/v1/token',
      VASP_UMA_API_BASE_URL: 'http://localhost:3000/umanwc/v1',
      UMA_VASP_JWT_PUBKEY: publicPem,
      UMA_VASP_JWT_AUD: 'localhost:3000',
      UMA_VASP_JWT_ISS: 'localhost:3000',
      VASP_NAME: 'North "bank" \\o/ = 1',
    }
    const keys = { NOSTR_PRIVKEY: 'ab'.repeat(32), SECRET_KEY: 'cd'.repeat(32) }
    const demo = { port: '8080', relay: 'ws://localhost:7447', keys: { ...keys, path: 'keys.env' } }
    expect(read(pythonConfig({ filled, commands: ['get_info', 'get_budget'], ...demo }))).toEqual({
      ...filled,
      VASP_SUPPORTED_COMMANDS: 'get_info,get_budget',
    })
  })

  it('may hold other Python, which is neither read nor evaluated', () => {
    const text = 'import os\nif True:\n    VASP_NAME = "indented"\nDATABASE_URI = os.environ["X"]\nVASP_NAME = "North"'
    expect(read(text)).toEqual({ VASP_NAME: 'North' })
  })

  it('leaves out empty settings and takes the last line for a name, with either line ending', () => {
    expect(read('VASP_NAME = "a"\r\nUMA_VASP_JWT_PUBKEY = ""\r\nVASP_NAME="b"  \r\n')).toEqual({ VASP_NAME: 'b' })
    expect(read('VASP_NAME = "a"\nVASP_NAME = ""')).toEqual({})
  })

  it.each([
    ["VASP_NAME = 'North'", 'VASP_NAME in gateway.py, line 2, is not "…": '],
    ['VASP_NAME = "North"  # ours', 'VASP_NAME in gateway.py, line 2, is not "…": '],
    ['UMA_VASP_LOGIN_URL = os.environ["LOGIN"]', 'UMA_VASP_LOGIN_URL in gateway.py, line 2, is not "…": '],
    ['VASP_NAME = "a" + "b"', 'VASP_NAME in gateway.py, line 2, is not "…": '],
    ['VASP_NAME = 7', 'VASP_NAME in gateway.py, line 2, is not "…": '],
    ['VASP_SUPPORTED_COMMANDS = "get_info"', 'VASP_SUPPORTED_COMMANDS in gateway.py, line 2, is not ["…", "…"]: '],
    ['VASP_SUPPORTED_COMMANDS = ["a,b"]', 'VASP_SUPPORTED_COMMANDS in gateway.py, line 2, is not ["…", "…"]: '],
    ['VASP_SUPPORTED_COMMANDS = [', 'VASP_SUPPORTED_COMMANDS in gateway.py, line 2, is not ["…", "…"]: '],
  ])('is refused when a setting has another form: %s', (line, start) => {
    expect(() => read(`# Settings\n${line}`)).toThrow(`${start}write it as npm run gateway:config prints it.`)
  })
})
