/** What this VASP calls of the package, which has no types of its own. */
declare module 'secp256k1' {
  type HashFunction = (x: Uint8Array, y: Uint8Array) => Uint8Array
  const secp256k1: {
    privateKeyVerify(secret: Uint8Array): boolean
    publicKeyCreate(secret: Uint8Array, compressed: boolean): Uint8Array
    publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array
    signatureImport(der: Uint8Array): Uint8Array
    /** Changes the given bytes. */
    signatureNormalize(signature: Uint8Array): Uint8Array
    ecdsaSign(hash: Uint8Array, secret: Uint8Array): { readonly signature: Uint8Array; readonly recid: number }
    ecdsaVerify(signature: Uint8Array, hash: Uint8Array, publicKey: Uint8Array): boolean
    ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array): Uint8Array
    ecdh(
      publicKey: Uint8Array,
      secret: Uint8Array,
      options: { readonly hashfn: HashFunction },
      output: Uint8Array,
    ): Uint8Array
  }
  export default secp256k1
}
