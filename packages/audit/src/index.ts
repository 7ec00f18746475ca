export { ChainKeys, chainStart, sha256 } from './chain-keys.ts'
