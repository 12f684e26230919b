export { newKeyPair } from '../../packages/uma-auth-vasp/test/key-pair'
export { newNodeSecret } from '../../sandbox/shared/node-secret'
