import type { Command } from 'commander';
import type { ModelAddFlags } from './model.ts';

/** Adds `model` with its commands: embedding models on this machine, for all vaults. */
export function addModelCommands(program: Command): void {
  const model = program
    .command('model')
    .description('neural models for search by meaning, kept on this machine')
    .exitOverride();
  model
    .command('add')
    .description('check a model and keep a copy of it; nothing is fetched without --download')
    .argument('<folder-or-id>', 'a folder with the model, or with --download its id on a hub')
    .option('--name <name>', "what to call it; by default the folder's name")
    .option('--link', 'leave the files where they are')
    .option('--download', 'fetch the model by its id')
    .option('--from <url>', 'the hub to fetch it from (or LECTERN_MODEL_HUB)')
    .option('--revision <name>', 'which revision to fetch; default main')
    .option('--weights <file>', 'which weights to fetch, e.g. onnx/model_int8.onnx')
    .exitOverride()
    .action(async (source: string, flags: ModelAddFlags) => {
      const { addModel } = await import('./model.ts');
      await addModel(source, flags);
    });
  model
    .command('list')
    .description('the models there are; * marks the one in use')
    .exitOverride()
    .action(async () => {
      const { listModels } = await import('./model.ts');
      await listModels();
    });
  model
    .command('use')
    .description('use a model unless --embedder says otherwise; local = none')
    .argument('<name>')
    .exitOverride()
    .action(async (name: string) => {
      const { useModel } = await import('./model.ts');
      await useModel(name);
    });
  model
    .command('remove')
    .description('remove a model; a linked one stays where it is')
    .argument('<name>')
    .exitOverride()
    .action(async (name: string) => {
      const { removeModel } = await import('./model.ts');
      await removeModel(name);
    });
}
