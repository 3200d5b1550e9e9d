//! Files in, values or sentences out: the tests of the public functions, in one program.

mod answers;
mod comparisons;
mod csv_round_trip;
mod folder;
mod half_life;
mod items;
mod missing;
mod model_files;
mod old_models;
mod own_response;
mod parquet;
mod peers;
mod round_trips;
mod workbooks;
