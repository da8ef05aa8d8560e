import type { Context } from 'hono';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { explainIssues } from '../../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { actorSchema } from '../../../shared/protocol/names.ts';

/** Who asks: `?as=`, else the header `X-Planroom-Actor`, else `guest`. */
export function actorOf(context: Context): Result<string, ErrorBody> {
  const asked = context.req.query('as');
  const name = asked ?? context.req.header('x-planroom-actor');
  if (name === undefined) return ok('guest');
  const parsed = actorSchema.safeParse(name);
  if (parsed.success) return ok(parsed.data);
  const where = asked === undefined ? 'header X-Planroom-Actor' : 'query parameter as';
  return err({ code: 'bad_message', message: `The ${where} is not understood. ${explainIssues(parsed.error)}` });
}

export function queryNumbers(context: Context, names: readonly string[]): Result<Record<string, number>, ErrorBody> {
  const numbers: Record<string, number> = {};
  for (const name of names) {
    const text = context.req.query(name);
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text)) {
      return err({
        code: 'bad_message',
        message: `The query parameter ${name} must be a whole number, not '${text.slice(0, 40)}'.`,
      });
    }
    numbers[name] = Number(text);
  }
  return ok(numbers);
}
