// Calls `Buffer.byteLength` for strings that it makes whole, from functions that are optimized for an object which is
// gone by then. It needs `--allow-natives-syntax`, and a small heap. With the argument `as-it-is` fast calls are left on.
import { Script } from 'node:vm'
import { disableFastApiCalls } from './fast-api-calls.ts'

if (process.argv[2] !== 'as-it-is') disableFastApiCalls()

const source = `
  globalThis.after = function after(length) { return length + 1 };
  %NeverOptimizeFunction(after);

  const half = 'x'.repeat(3_000_000);
  const kept = [];
  const rounds = 8;
  const callsOfRound = 40;
  let wrong = 0;

  function optimize(index) {
    const { hot, make } = new Function(\`
      class Shape\${index} { constructor() { this.own\${index} = 1 } }
      function hot(text, object) {
        const length = byteLength(text)
        return object === undefined ? after(length) : object.own\${index} + length
      }
      return { hot, make: () => new Shape\${index}() }
    \`)();
    const object = make();
    %PrepareFunctionForOptimization(hot);
    for (let call = 0; call < 1000; call += 1) hot('ab', call % 3 === 0 ? undefined : object);
    %OptimizeFunctionOnNextCall(hot);
    hot('ab', object);
    return hot;
  }

  for (let round = 0; round < rounds; round += 1) {
    const hot = optimize(round);
    for (let call = 0; call < callsOfRound; call += 1) {
      const text = half + call;
      if (hot(text) !== text.length + 1) wrong += 1;
      kept[call % 8] = text;
    }
  }
  wrong
`

Object.assign(globalThis, { byteLength: Buffer.byteLength })
const wrong: unknown = new Script(source).runInThisContext()
if (wrong !== 0) throw new Error(`${wrong} calls returned something else`)
