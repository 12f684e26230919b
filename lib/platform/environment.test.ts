import { describe, expect, it } from 'vitest'
import { loadSettings } from './config'
import { completeEnvironment, dataDirOf } from './environment.js'

const FILE = {
  VASP_NAME: 'Northbank',
  PORT: '3000',
  VASP_DOMAIN: 'localhost:3000',
  NEXTAUTH_URL: 'http://localhost:3000',
  GATEWAY_ROOT_URL: 'http://localhost:8080',
  DATA_DIR: '.data/northbank',
  NEXTAUTH_SECRET: 'of the file, and long enough to be one',
}

function settingsOf(env: Readonly<Record<string, string>>, file: Readonly<Record<string, string>> = FILE) {
  const { publicOrigin, vaspDomain, port, vaspName, gatewayRootUrl, dataDir } = loadSettings(
    completeEnvironment(env, file),
  )
  return { publicOrigin, vaspDomain, port, vaspName, gateway: gatewayRootUrl.origin, dataDir }
}

const asWritten = {
  publicOrigin: 'http://localhost:3000',
  vaspDomain: 'localhost:3000',
  port: 3000,
  vaspName: 'Northbank',
  gateway: 'http://localhost:8080',
  dataDir: '.data/northbank',
}
const moved = { ...asWritten, publicOrigin: 'http://localhost:3300', vaspDomain: 'localhost:3300', port: 3300 }

describe('the environment on top of the settings file', () => {
  it('equals the file when the environment sets nothing', () => {
    expect(settingsOf({})).toEqual(asWritten)
  })

  it('wins over the file, and values derived from a port in the file follow the new port', () => {
    expect(settingsOf({ PORT: '3300' })).toEqual(moved)
    expect(settingsOf({ GATEWAY_PORT: '8380' })).toEqual({ ...asWritten, gateway: 'http://localhost:8380' })
    expect(settingsOf({ GATEWAY_ROOT_URL: 'http://localhost:8380' }).gateway).toBe('http://localhost:8380')
    expect(settingsOf({ VASP_NAME: 'Foobank' }).vaspName).toBe('Foobank')
    expect(settingsOf({ DATA_DIR: '/elsewhere' }).dataDir).toBe('/elsewhere')
  })

  it('wins with an empty value too, which selects the default', () => {
    expect(settingsOf({ PORT: '' }, { ...FILE, PORT: '3300' }).port).toBe(3000)
    expect(completeEnvironment({ DATABASE_URL: '' }, { ...FILE, DATABASE_URL: 'postgresql://x' }).DATABASE_URL).toBe('')
  })

  it('follows a port that was changed in the file alone', () => {
    expect(settingsOf({}, { ...FILE, PORT: '3300' })).toEqual(moved)
    expect(settingsOf({}, { ...FILE, GATEWAY_PORT: '8380' }).gateway).toBe('http://localhost:8380')
  })

  it('keeps a public domain and a public gateway, whatever the ports are', () => {
    const file = {
      ...FILE,
      VASP_DOMAIN: 'vasp.example',
      NEXTAUTH_URL: 'https://vasp.example',
      GATEWAY_ROOT_URL: 'https://gateway.example',
    }
    expect(settingsOf({ PORT: '3300', GATEWAY_PORT: '8380' }, file)).toMatchObject({
      publicOrigin: 'https://vasp.example',
      gateway: 'https://gateway.example',
      port: 3300,
    })
  })

  it('prefers the domain of the environment to a derived one', () => {
    expect(settingsOf({ PORT: '3300', VASP_DOMAIN: 'localhost:3000' }).publicOrigin).toBe('http://localhost:3000')
    expect(settingsOf({ NEXTAUTH_URL: 'http://localhost:3300', PORT: '3300' })).toEqual(moved)
  })
})

describe('the folder of an instance', () => {
  it('is DATA_DIR, or else named after the instance', () => {
    expect(dataDirOf({})).toBe('.data/northbank')
    expect(dataDirOf({ VASP_NAME: 'Foo Bank' })).toBe('.data/foo-bank')
    expect(dataDirOf({ DATA_DIR: '/elsewhere', VASP_NAME: 'Foobank' })).toBe('/elsewhere')
  })
})
