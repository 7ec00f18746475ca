import { Badge } from '../components/chip.tsx'
import { ChangeList, ChangeSentence, LineDiff } from '../components/diff.tsx'
import { diffLines } from '../components/line-diff.ts'
import { Path, PathReason, PathStop } from '../components/path.tsx'
import { Rail, RuleCard, type RuleLook, StartStop, Stop } from '../components/rail.tsx'
import { Ruler } from '../components/ruler.tsx'
import { Part } from './part.tsx'

const looks: readonly RuleLook[] = ['clean', 'edited', 'added', 'removed', 'dragging', 'wrong']

const before = 'key: checkout\nenabled: false\nrollouts:\n  - threshold:\n      percentage: 25\n'
const after = 'key: checkout\nenabled: true\nrollouts:\n  - threshold:\n      percentage: 50\n'

export function Rails() {
  return (
    <>
      <Part title="Rail and rules">
        <Rail label="Rules">
          <StartStop>The first rule that matches answers.</StartStop>
          {looks.map((look, place) => (
            <Stop key={look} node={place + 1}>
              <RuleCard look={look} className="px-4 py-2.5 text-13">
                {look}
              </RuleCard>
            </Stop>
          ))}
          <Stop node="">
            <RuleCard look="end" className="px-4 py-2.5 text-13">
              Everyone else gets Off
            </RuleCard>
          </Stop>
        </Rail>
      </Part>
      <Part title="Path">
        <Path label="Path" start="user-42 in Production">
          <PathStop node="1" state="passed" title="Beta users get On">
            <PathReason isMet={false} found="email is not in the context">
              email ends with @example.com
            </PathReason>
          </PathStop>
          <PathStop node="2" state="hit" title="25% get On" end={<Badge look="on">On</Badge>}>
            <div className="px-4 pt-2">
              <Ruler
                pin={17.3}
                shares={[{ name: 'On', hue: 'on', percentage: 25 }]}
                sentence="Bucket 17.3 is below 25"
              />
            </div>
          </PathStop>
          <PathStop node="3" state="unreached" title="Everyone else gets Off" />
        </Path>
      </Part>
      <Part title="Diff">
        <ChangeList>
          <ChangeSentence kind="changed" effect="On for about 55%, 31% before.">
            Rollout 2 gives On to <del>25%</del> <ins>50%</ins>
          </ChangeSentence>
          <ChangeSentence kind="added">
            Rollout 3 gives <ins>On</ins> to <ins>Staff</ins>
          </ChangeSentence>
          <ChangeSentence kind="removed">Rollout 4</ChangeSentence>
          <ChangeSentence kind="moved">Rollout 5 is now the first</ChangeSentence>
        </ChangeList>
        <LineDiff label="Changes" lines={diffLines(before, after)} />
      </Part>
    </>
  )
}
