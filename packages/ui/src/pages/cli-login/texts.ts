import { bold } from '../../text/rich.tsx'
import { defineTexts } from '../../text/texts.ts'

const en = {
  pageTitle: 'Command line',
  title: 'Let svc log in?',
  unnamed: 'another machine',
  what: (host: string) =>
    `${bold('svc')}, the command line, on ${bold(host)} asks to act as you. Allow it only if you yourself have just run ${bold('svc login')} there.`,
  as: 'As',
  where: 'May change',
  everywhere: 'all that you may',
  onlyIn: (namespace: string) => `what you may in ${namespace}`,
  from: 'From',
  ends: 'Ends',
  endsAt: (time: string) => `at ${time}, or with this session`,
  allow: 'Allow',
  deny: 'Do not allow',
  failed: 'It was not allowed.',
  noSession:
    'This browser has no session: something on the way adds a token to its requests, and a token may not make others. Give that token to svc itself, with svc login --token-file.',
  sentTitle: 'Allowed',
  sent: 'The browser goes on to svc on this machine. If it does not get there, run svc login again.',
  codeTitle: 'Type this code',
  codeLabel: 'Code',
  codeWarning: 'Type this only into a terminal in which you yourself have just run `svc login`.',
  codeEnds: (time: string) => `It works once, until ${time}.`,
  doneTitle: 'svc is logged in',
  done: 'You may close this tab and go on in the terminal. Sessions shows this session, and ending it ends what svc may do.',
  notDoneTitle: 'svc is not logged in',
  notDone: 'The terminal says why. Run svc login again there.',
  deniedTitle: 'Not allowed',
  denied: 'svc may do nothing. You may close this tab.',
  badTitle: 'This link is not complete',
  bad: 'Run svc login again, and copy the whole link that it prints.',
  openTitle: 'There is nothing to log in to',
  open: 'This service needs no sign-in, so svc works without svc login. To act under a name, sign in here first.',
  signIn: 'Sign in',
}

export type CliLoginTexts = typeof en

export const cliLoginTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
