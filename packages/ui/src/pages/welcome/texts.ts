import { defineTexts } from '../../text/texts.ts'

const en = {
  title: 'First steps',
  heading: 'From a flag to your code in four steps',
  lead: 'They tick themselves when you have done them, here or from a terminal.',
  steps: 'Steps',
  done: 'Done: ',
  // A flag
  makeFlag: 'Make a flag',
  makeFlagText:
    'A flag is a named question that your code asks: for this user, yes or no? You change the answer here, without a release.',
  name: 'Name',
  flagName: 'Hello world',
  nameMissing: 'It needs a name with letters or digits.',
  keyWillBe: 'Your code asks for',
  createFlag: 'Create flag',
  keyTaken: (key: string) => `There is a flag ${key} already.`,
  madeFlag: 'You made',
  yesNo: 'Yes or no',
  several: 'One of several',
  // An answer
  ask: 'Ask for it',
  askText: 'As your code will, for one user.',
  entity: 'User',
  evaluate: 'Evaluate',
  gotOn: 'You asked for it, and got On',
  gotOff: 'You asked for it, and got Off',
  gotVariant: (name: string) => `You asked for it, and got ${name}`,
  gotNothing: 'You asked for it, and got nothing',
  askedElsewhere: 'It was asked for',
  on: 'On',
  off: 'Off',
  nothing: 'nothing',
  because: {
    everyone: (answer: string) => `No rule is set, so everyone gets ${answer}.`,
    rest: (answer: string) => `No rule matches, and everyone else gets ${answer}.`,
    disabled: (answer: string) => `It is disabled, so everyone gets ${answer}.`,
    rule: (answer: string, place: string) => `Rule ${place} answers: ${answer}.`,
    rollout: (answer: string, place: string) => `Rollout ${place} answers: ${answer}.`,
  },
  seeWhy: 'See why',
  askAgain: 'Ask again',
  // A token
  makeToken: 'Make a token for your application',
  makeTokenText: (namespace: string) => `It works in ${namespace} alone, and for 90 days.`,
  tokenName: 'my-app',
  createToken: 'Create token',
  notYours: 'The one that you are signed in with is not for code.',
  madeToken: 'You made a token',
  cannotMake: 'Your session can make no tokens. Ask the one who runs this service for one.',
  // Code
  paste: 'Paste this',
  later: 'the token will be in it',
  withSecret: 'The token is in it, this once. Nobody can see it again.',
  withoutSecret: 'Set SVC_TOKEN to your token. It was shown once; you can make another one under',
  tokensPage: 'Tokens',
  copyToken: 'Copy the token',
  asked: 'Your code has asked',
  askedFrom: (address: string) => `Its first request has come, from ${address}.`,
  // After
  firstTitle: 'The first token still exists.',
  firstText: 'It may do everything and never expires. You have another one now.',
  deleteFirst: 'Delete the bootstrap token',
  onlyFirst:
    'It may do everything and never expires. First make a token for yourself that works in all namespaces, and sign in with that.',
  makeOwn: 'Make one for yourself',
  goOnTitle: 'That is all it takes',
  goOnText: 'Next: give the flag to some of your users first.',
  openFlag: 'Open the flag',
}

export type WelcomeTexts = typeof en

export const welcomeTexts = defineTexts(en, async () => (await import('./texts.de.ts')).de)
