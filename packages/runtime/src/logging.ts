import { pino } from 'pino'

export type Logger = pino.Logger

export interface LogSettings {
  readonly level: pino.LevelWithSilent
  /** `json` prints one object a line; `console` prints a line that a person reads. */
  readonly encoding: 'json' | 'console'
}

/**
 * What must never reach a log, wherever an object is logged whole. The one line that carries a
 * token on purpose uses the key `client_token`, which is not among these.
 */
const secretPaths = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  'credential',
  '*.authorization',
  '*.cookie',
  '*["set-cookie"]',
  '*.token',
  '*.password',
  '*.secret',
  '*.credential',
  '*.headers.authorization',
  '*.headers.cookie',
]

/**
 * JSON lines (or readable ones), written synchronously: a crash loses no line.
 *
 * @param fd where to; standard output unless that is wanted for something else
 */
export function createLogger(settings: LogSettings, service: string, fd = 1): Logger {
  const options: pino.LoggerOptions = {
    level: settings.level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secretPaths, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err },
  }
  const output = pino.destination({ fd, sync: true })
  return settings.encoding === 'console'
    ? pino(options, { write: (line: string) => output.write(toReadable(line)) })
    : pino(options, output)
}

/** `12:00:01.214 WARN  auth  created bootstrap token  {"name":"…"}`: times are UTC. */
function toReadable(line: string): string {
  const { time, level, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 23)
  const details = Object.keys(rest).length > 0 ? `  ${JSON.stringify(rest)}` : ''
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${service}  ${msg ?? ''}${details}\n`
}
