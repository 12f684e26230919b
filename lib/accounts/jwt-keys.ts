import { importKeys, KeyError, type KeyTexts, type VaspKeys } from 'uma-auth-vasp'
import { SettingsError, type Settings } from '../platform/config'

const VARIABLES: Readonly<Record<keyof KeyTexts, string>> = {
  privateKey: 'JWT_PRIVATE_KEY',
  publicKey: 'JWT_PUBLIC_KEY',
  previousPublicKey: 'JWT_PUBLIC_KEY_PREVIOUS',
}

/**
 * Reads the ES256 keys for the bearer tokens from the settings. Any key may be missing. The server then runs, and answers 500 where
 * the specification requires it.
 * @throws SettingsError when a key cannot be used, or the pair does not match.
 */
export async function loadJwtKeys(
  settings: Pick<Settings, 'jwtPrivateKeyPem' | 'jwtPublicKeyPem' | 'jwtPublicKeyPreviousPem'>,
): Promise<VaspKeys> {
  try {
    return await importKeys({
      privateKey: settings.jwtPrivateKeyPem,
      publicKey: settings.jwtPublicKeyPem,
      previousPublicKey: settings.jwtPublicKeyPreviousPem,
    })
  } catch (error) {
    if (error instanceof KeyError) throw new SettingsError(`${VARIABLES[error.key]} ${error.problem}`)
    throw error
  }
}
