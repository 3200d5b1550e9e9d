//! lab
mod regression;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::learn::{self, Hyperparameters, Units, lbfgs::Stop};
use rather::kernel::parse;
use rather::posterior::Posterior;
use std::time::Instant;
fn main(){
    let args: Vec<String> = std::env::args().collect();
    let data = std::path::PathBuf::from("../shared/data");
    let kernel=&args[1]; let ard=args[2]=="ard"; let priors=args[3]=="prior"; let splits: u64=args[4].parse().unwrap();
    let method = if args.get(5).map(|s|s=="laplace").unwrap_or(false) {Method::Laplace} else {Method::Ep};
    for set in &regression::TABLE_1 {
        if let Some(f)=args.get(6) { if !set.name.contains(f.as_str()) {continue;} }
        let rows=set.read(&data).unwrap();
        let mut errs=vec![]; let mut evs=vec![]; let t=Instant::now(); let mut ne=0; let mut hp=vec![]; let mut ranks=vec![];
        for s in 0..splits {
            let split=rows.split(set.pairs, 20000, s);
            let obs=Observations::new(&split.training);
            let pts=rows.points.select(&obs.items);
            let problem=Problem{points:&pts, observations:&obs, method, space:None};
            let k=parse(kernel,&rows.schema,ard).unwrap();
            let start=Hyperparameters::new(k,&rows.schema,&pts,Units::ItemNoise,&[],priors).unwrap();
            let l=learn::maximise(&problem,&start,&Settings::default(),Stop{gradient:1e-2,decrease:1e-4,steps:100},None).unwrap();
            ne+=l.evaluations; evs.push(l.objective);
            if s==0 { hp=l.hyperparameters.entries.iter().map(|e| (e.name.clone(),(e.value*1000.0).round()/1000.0)).collect(); }
            ranks.push(l.evidence.prior.rank());
            let noise=l.hyperparameters.noise();
            let post=Posterior::new(&problem,l.hyperparameters.kernel.clone(),noise,l.evidence);
            let p=post.utilities(&rows.points).mean;
            let wrong=split.test.iter().map(|&(a,b)| if p[a]>p[b] {0.0} else if p[a]==p[b] {0.5} else {1.0}).sum::<f64>();
            errs.push(100.0*wrong/split.test.len() as f64);
        }
        let n=errs.len() as f64; let m=errs.iter().sum::<f64>()/n; let sd=(errs.iter().map(|e|(e-m).powi(2)).sum::<f64>()/(n-1.0)).sqrt();
        let ev=evs.iter().sum::<f64>()/n;
        println!("{:16} {kernel} {} err {m:.2} ± {sd:.2}  obj {ev:.2} evals {} time/split {:.2}s rank {:?} items {}", set.name, args[2], ne as f64/n, t.elapsed().as_secs_f64()/n, &ranks[..3.min(ranks.len())], rows.target.len());
        if hp.len()<8 {println!("    {hp:?}");}
    }
}
