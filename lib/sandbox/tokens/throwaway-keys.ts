import { generateKeyPair, type CryptoKey } from 'jose'
import { singleton } from '../../platform/process-singletons'

/**
 * A key pair that exists in this process only and that no API accepts: the token inspector signs faulty tokens with it.
 * Created when it is first needed.
 */
export function throwawayKeys(): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }> {
  return singleton('throwaway-keys', () => generateKeyPair('ES256'))
}
