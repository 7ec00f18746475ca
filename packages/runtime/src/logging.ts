import { pino } from 'pino'
import { LogOutput } from './log-output.ts'

export type Logger = pino.Logger

export interface LogSettings {
  readonly level: pino.LevelWithSilent
  /** `json` prints an object a line; `console` prints lines for people. */
  readonly encoding: 'json' | 'console'
  /** Called for each line: what it has besides its own. */
  readonly fields?: () => Record<string, string>
}

/**
 * Keys that are redacted in logged objects. The one line that shows a token on purpose uses the key
 * `client_token`, which is not among these.
 */
const secretKeys = ['authorization', 'cookie', 'token', 'password', 'secret', 'credential']

const secretPaths = [
  ...secretKeys.flatMap((key) => [key, `*.${key}`]),
  '*["set-cookie"]',
  '*.headers.authorization',
  '*.headers.cookie',
]

/**
 * Writes JSON lines, or readable ones, at once: a crash loses no line. An output that takes none is not waited
 * for; see {@link LogOutput}.
 *
 * @param fd file descriptor; standard output by default
 */
export function createLogger(settings: LogSettings, service: string, fd = 1): Logger {
  const { fields } = settings
  const options: pino.LoggerOptions = {
    level: settings.level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secretPaths, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err },
    ...(fields && { mixin: () => fields() }),
  }
  const output = new LogOutput(fd, (dropped) => {
    log.warn({ dropped }, 'lines of this log were dropped: its output took none')
  })
  const write =
    settings.encoding === 'console'
      ? (line: string) => output.write(toReadable(line))
      : (line: string) => output.write(line)
  const log = pino(options, { write })
  return log
}

/** `12:00:01.214 WARN  auth  created bootstrap token  {"name":"…"}`: times are UTC. */
function toReadable(line: string): string {
  const { time, level, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 23)
  const details = Object.keys(rest).length > 0 ? `  ${JSON.stringify(rest)}` : ''
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${service}  ${msg ?? ''}${details}\n`
}
