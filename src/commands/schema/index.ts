import type { GenericSchema } from 'valibot';
import type { Context } from '../../model/ports.ts';
import { DescribedCommand, localCommand } from '../../session/command-line.ts';
import { withLocalSession } from '../../session/session.ts';

/** `schema ...`: JSON Schemas of input files, derived from their validation. They send nothing. */
export function schemaCommands(context: Context) {
  const showing = (name: string, summary: string, files: string, make: () => Promise<unknown>) =>
    localCommand(name, 'reads', [`schema ${name} > ${name}.schema.json`])
      .summary(`print the JSON Schema of ${summary}`)
      .description(`Print the JSON Schema of ${files}, so that an editor can check them as you type.`)
      .action(withLocalSession(context, async ({ out }) => out.document(await make())));
  const manifest = async () => (await import('../../files/json-schema.ts')).manifestJsonSchema();
  const ofSchema = async (schema: GenericSchema) =>
    (await import('../../files/json-schema.ts')).jsonSchemaOf(schema);
  const policy = async () => ofSchema((await import('../../people/policy.ts')).policySchema());
  const jobs = async () => ofSchema((await import('../../people/policy.ts')).jobsSchema());
  return new DescribedCommand('schema', {
    examples: ['schema manifest > manifest.schema.json', 'schema access-policy > policy.schema.json'],
  })
    .summary('print schemas of input files')
    .description('Print schemas of input files, for editors and other programs.')
    .addCommand(showing('manifest', 'manifests', 'manifests', manifest))
    .addCommand(showing('access-policy', 'access policies', 'the policies of "access check"', policy))
    .addCommand(showing('jobs', 'rules of jobs', 'the rules of "people sync"', jobs));
}
