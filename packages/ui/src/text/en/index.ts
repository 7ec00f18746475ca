import { common } from './common.ts'
import { flags } from './flags.ts'
import { frame } from './frame.ts'
import { login } from './login.ts'

export const en = { common, flags, frame, login }
