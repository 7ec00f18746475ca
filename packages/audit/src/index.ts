export {
  ChainCheck,
  type ChainCheckOptions,
  type ChainPlace,
  type ChainRow,
  type PlaceProof,
  type UnprovenRows,
} from './chain-check.ts'
export { ChainKeys, chainKeysOf, chainStart, sha256 } from './chain-keys.ts'
export {
  type ChangeRow,
  hashOfChange,
  ItemsHash,
  type LoggedItem,
  textOfChange,
} from './change-text.ts'
