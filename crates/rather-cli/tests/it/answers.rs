//! `rather fit` and `rather predict` with other answers than who won, and other response models.

use crate::lab::Lab;

/// Comparisons with ties and strong preferences, by position.
const GRADED: &str = "left,right,outcome,user
t1,t2,right,ann
t2,t1,tie,ann
t3,t1,much left,bob
t4,t1,much left,ann
t5,t2,much left,bob
t3,t2,left,ann
t4,t3,tie,bob
t5,t4,left,ann
t5,t1,much left,bob
t2,t4,right,bob
";

#[test]
fn ties_and_grades_are_learned_and_predicted() {
    let lab = Lab::new();
    lab.write("duels.csv", GRADED);
    let fit = lab.json("fit items.csv duels.csv --kernel se -o m.rather");
    let learned = fit["hyperparameters"].as_object().unwrap();
    assert!(learned["tie"].as_f64().unwrap() > 0.0 && learned["grade[2]"].as_f64().unwrap() > 0.0);
    assert_eq!((&fit["answers"]["comparisons"], &fit["answers"]["ties"]), (&8.into(), &2.into()));
    lab.write("pairs.csv", "left,right\nt5,t1\nt3,t4\n");
    let said = lab.json("predict m.rather pairs.csv");
    for pair in said.as_array().unwrap() {
        let outcomes = pair["outcomes"].as_object().unwrap();
        assert_eq!(outcomes.len(), 5);
        let total: f64 = outcomes.values().map(|p| p.as_f64().unwrap()).sum();
        assert!((total - 1.0).abs() < 1e-9, "{pair}");
    }
    assert!(said[0]["outcomes"]["much left"].as_f64() > said[0]["outcomes"]["tie"].as_f64());
    let text = lab.text("predict m.rather pairs.csv");
    assert!(text.lines().next().unwrap().contains("much left") && text.contains("tie"), "{text}");
    // A model without ties says no more than it did.
    lab.text("fit items.csv duels.csv --kernel se --ties drop --rankings pairs -o plain.rather --quiet");
    let text = lab.text("fit items.csv duels.csv --kernel se");
    assert!(text.contains("8 comparisons, 2 ties, 2 users") && text.contains("grade[2]"), "{text}");
}

/// Rankings of the teas along the price, with some of it the other way.
const RANKED: &str = "ranking
t5 > t4 > t2 > t1
t4 > t5 > t3 > t1
t6 > t3 > t2
t5 > t3 > t4 > t2
t6 > t4 > t1 = t2
t3 > t1
";

#[test]
fn a_ranking_is_one_answer() {
    let lab = Lab::new();
    lab.write("ranked.csv", RANKED);
    let fit = lab.json("fit items.csv ranked.csv --kernel se --rankings joint -o m.rather");
    assert_eq!((&fit["answers"]["joint"], &fit["answers"]["comparisons"]), (&5.into(), &1.into()));
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
    let text = lab.text("fit items.csv ranked.csv --kernel se --rankings joint");
    assert!(text.contains("1 comparison, 5 joint answers"), "{text}");
    // Pairs count the noise of one look several times, and are surer.
    let pairs = lab.json("fit items.csv ranked.csv --kernel se --ties drop");
    assert!(fit["log_evidence"].as_f64() > pairs["log_evidence"].as_f64());

    lab.write("menus.csv", "option_1,option_2,option_3\nt1,t5,t3\nt6,t2,\n");
    let found = lab.json("predict m.rather menus.csv");
    let lines = found.as_array().unwrap();
    assert_eq!((lines.len(), &lines[1]["item"], &lines[3]["set"]), (5, &"t5".into(), &2.into()));
    for key in ["probability_of_best", "probability_of_worst"] {
        let sum: f64 = lines[..3].iter().map(|line| line[key].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{key}: {sum}");
    }
    assert!(lines[1]["probability_of_best"].as_f64() > lines[0]["probability_of_best"].as_f64());
    // Of two options it is the plain probability.
    lab.write("pairs.csv", "left,right\nt6,t2\n");
    assert_eq!(lab.json("predict m.rather pairs.csv")[0]["probability"], lines[3]["probability_of_best"]);
    assert!(lab.text("predict m.rather menus.csv").contains("is the best"));
    let csv = lab.text("predict m.rather menus.csv --csv");
    let mut lines_of_csv = csv.lines();
    assert_eq!(lines_of_csv.next(), Some("set,item,probability_of_best,probability_of_worst"));
    assert!(lines_of_csv.next().unwrap().starts_with("1,t1,"), "{csv}");
    let next = lab.json("suggest m.rather --options 3 -n 2");
    let sets = next.as_array().unwrap();
    assert_eq!((sets.len(), sets[0]["items"].as_array().unwrap().len()), (2, 3));
    assert!(sets[0]["score"].as_f64().unwrap() > 0.0, "{next}");
    // What is suggested can be asked about.
    lab.write("next.csv", lab.text("suggest m.rather --options 3 -n 2 --csv --quiet"));
    assert_eq!(lab.json("predict m.rather next.csv").as_array().unwrap().len(), 6);
    assert!(lab.text("suggest m.rather --options 4 -n 1").contains("option_4"));
    assert!(lab.error("suggest m.rather --options 7").contains("no more than there are items"));
    assert!(lab.error("suggest m.rather --options 3 --opponent best").contains("--opponent"));
    let sharp = lab.error("predict m.rather menus.csv --sharp");
    assert!(sharp.ends_with("leave it out for sets of options"), "{sharp}");

    let scores = lab.json("evaluate items.csv ranked.csv --kernel se --rankings joint --folds 3");
    let kinds = scores["kinds"].as_array().unwrap();
    let sets = kinds.iter().find(|kind| kind["kind"] == "set").unwrap();
    assert_eq!((&sets["answers"], sets["rps"].is_null()), (&5.into(), true));
    // Most of them are orders of four, which are guessed with a probability of a twenty-fourth.
    assert!(sets["guessing"].as_f64().unwrap() > 2.0 && sets["log_loss"].as_f64().unwrap() < 4.0, "{sets}");
}

#[test]
fn joint_answers_have_gumbel_noise_by_laplace() {
    let lab = Lab::new();
    lab.write("ranked.csv", RANKED);
    let flags = "--kernel se --rankings joint --link logistic --inference laplace";
    let fit = lab.json(&format!("fit items.csv ranked.csv {flags} -o m.rather"));
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
    lab.write("menus.csv", "option_1,option_2,option_3\nt1,t5,t3\n");
    let found = lab.json("predict m.rather menus.csv");
    let sum: f64 =
        found.as_array().unwrap().iter().map(|line| line["probability_of_best"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    let scores = lab.json(&format!("evaluate items.csv ranked.csv {flags} --folds 3"));
    let kinds = scores["kinds"].as_array().unwrap();
    let sets = kinds.iter().find(|kind| kind["kind"] == "set").unwrap();
    // Most of them are orders of four, which are guessed with a probability of a twenty-fourth.
    assert!(sets["guessing"].as_f64().unwrap() > 2.0 && sets["log_loss"].as_f64().unwrap() < 4.0, "{sets}");
}

/// Nothing at all is an alternative like the others, with a column of its own: a dear one is left, a cheap one is taken.
#[test]
fn none_of_these_is_an_option() {
    let lab = Lab::new();
    let mut tasks = String::from("respondent,task,alternative,chosen,price,none\n");
    for task in 0..12 {
        let prices = [1 + task % 4, 3 + task % 5];
        let cheapest = if prices[0] <= 3 { 0 } else { 2 };
        for (alternative, (price, none)) in [(prices[0], 0), (prices[1], 0), (0, 1)].into_iter().enumerate() {
            let chosen = u8::from(alternative == cheapest);
            tasks += &format!("p{},{task},{alternative},{chosen},{price},{none}\n", task % 2);
        }
    }
    lab.write("tasks.csv", &tasks);
    lab.json("fit tasks.csv --rankings joint --kernel linear -o m.rather");
    let ranked = lab.json("rank m.rather");
    let items: Vec<&str> =
        ranked.as_array().unwrap().iter().map(|line| line["item"].as_str().unwrap()).collect();
    let place = |of: &str| items.iter().position(|item| *item == of).unwrap();
    // Its price is 0, and it is worth something between 3 and 4.
    assert!(place("3, 0") < place("0, 1") && place("0, 1") < place("4, 0"), "{items:?}");
}

/// All ways of inference with normal noise agree on who is first.
#[test]
fn joint_answers_are_heard_in_a_stream_and_sampled() {
    let lab = Lab::new();
    lab.write("ranked.csv", RANKED);
    let flags = "--kernel se --rankings joint --inference";
    let best = |way: &str| {
        let fit = lab.json(&format!("fit items.csv ranked.csv {flags} {way} -o m.rather"));
        assert_eq!(lab.ranking("m.rather"), fit["ranking"], "{way}");
        fit["ranking"][0]["item"].clone()
    };
    let ep = best("ep");
    assert!(ep.is_string());
    assert_eq!((&best("exact"), &best("streaming")), (&ep, &ep));
}

#[test]
fn what_does_not_take_joint_answers_says_so() {
    let lab = Lab::new();
    lab.write("ranked.csv", RANKED);
    for flags in [
        "--inference laplace",
        "--link logistic",
        "--lapse learn",
        "--half-life 3",
        "--inference exact --link logistic",
    ] {
        let error = lab.error(&format!("fit items.csv ranked.csv --kernel se --rankings joint {flags}"));
        assert!(
            error.contains("taken jointly") && error.ends_with("or take them as pairs"),
            "{flags}: {error}"
        );
    }
    lab.write("ranked.csv", "ranking\nt1 = t2 > t3 = t4\n");
    assert_eq!(
        lab.error("fit items.csv ranked.csv --rankings joint"),
        "ranked.csv, line 2 has items of equal rank in two places, so it cannot be taken jointly; take it as pairs \
         (--rankings pairs), or leave it out"
    );
}

/// Conjoint tasks in one table, with a row an option: the items are what has the same attributes.
#[test]
fn one_table_of_tasks_is_enough() {
    let lab = Lab::new();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let fit = lab.json(&format!(
        "fit {examples}/laptops.csv --model hierarchical --rankings joint --kernel linear -o laptops.rather"
    ));
    assert_eq!((&fit["answers"]["joint"], &fit["users"]), (&240.into(), &30.into()));
    let market = format!("{examples}/laptop_market.csv");
    let shares = lab.json(&format!("shares laptops.rather {market}"));
    let of = |k: usize, key: &str| shares[k][key].as_f64().unwrap();
    for key in ["share", "first_choice"] {
        assert!(((0..3).map(|k| of(k, key)).sum::<f64>() - 1.0).abs() < 1e-9, "{shares}");
    }
    for k in 0..3 {
        assert!(of(k, "low") <= of(k, "share") && of(k, "share") <= of(k, "high"), "{shares}");
    }
    // Cheapest by far, by what 30 people chose: their weight of the price is .004 a dollar, of memory .05 a gigabyte, of a kilogram -1.
    assert!(of(0, "share") < of(2, "share") && of(2, "share") < 0.6, "{shares}");
    assert!(lab.text(&format!("shares laptops.rather {market}")).contains("Of 30 people"));
    let csv = lab.text(&format!("shares laptops.rather {market} --csv"));
    assert_eq!(csv.lines().next(), Some("item,share,low,high,first_choice"));
    // A gigabyte is worth .05 / .004 dollars, a kilogram a quarter of a thousand less.
    let paid = lab.json("explain laptops.rather --price price")["willingness_to_pay"].clone();
    let [memory, kilograms] = [0, 1].map(|k| paid[k]["value"].as_f64().unwrap());
    assert!((4.0..30.0).contains(&memory) && (-500.0..-100.0).contains(&kilograms), "{paid}");
    assert!(paid[0]["low"].as_f64() < paid[0]["value"].as_f64(), "{paid}");
    let one = lab.json("explain laptops.rather --user p07 --price Price");
    assert_eq!(one["willingness_to_pay"][1]["feature"], "kilograms");
    assert!(lab.text("explain laptops.rather --price price").contains("four in five people"));
    let error = lab.error("explain laptops.rather --price cost");
    assert!(error.contains("cost") && error.contains("price, memory, kilograms"), "{error}");
    lab.write("one.csv", "laptop,price,memory,kilograms\nA,600,8,1.1\n");
    assert_eq!(lab.error("shares laptops.rather one.csv"), "one.csv has one item; a market has at least 2");
    // Of one person there is no interval.
    lab.text(&format!("fit {examples}/laptops.csv --rankings joint --kernel linear -o one.rather --quiet"));
    let shares = lab.json(&format!("shares one.rather {market}"));
    assert!(shares[0].get("low").is_none() && (of(0, "share") - 0.3).abs() < 0.3);
    // Without attributes, and without a table of items, items are those that are named.
    lab.write("votes.csv", "winner,loser\na,b\nb,c\na,c\n");
    assert_eq!(lab.json("fit votes.csv")["ranking"][0]["item"], "a");
    let error = lab.error("fit -");
    assert!(error.starts_with("standard input is read once"), "{error}");
    let scores =
        lab.json(&format!("evaluate {examples}/laptops.csv --rankings joint --kernel linear --folds 3"));
    let set = &scores["kinds"][0];
    assert!(set["log_loss"].as_f64() < set["guessing"].as_f64(), "{set}");
}

#[test]
fn ratings_join_comparisons() {
    let lab = Lab::new();
    lab.write("ratings.csv", "user,item,rating\nann,t1,1\nann,t5,4\nbob,t6,5\nbob,t2,3\nann,t4,5\n");
    lab.write("values.csv", "item,value\nt1,0.4\nt6,>3\nt3,1.5\n");
    let fit =
        lab.json("fit items.csv duels.csv --kernel se --also ratings.csv --also values.csv -o m.rather");
    let answers = &fit["answers"];
    assert_eq!((&answers["ratings"], &answers["values"]), (&5.into(), &3.into()));
    assert_eq!(fit["levels"].as_array().unwrap().len(), 4);
    for name in
        ["tie", "rating.first", "rating.gap[3]", "rating.factor", "offset[ann]", "value.offset", "value.sd"]
    {
        assert!(fit["hyperparameters"][name].is_number(), "{name}");
    }
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
    let alone = lab.json("fit items.csv ratings.csv --kernel se");
    assert!(alone["hyperparameters"]["rating.factor"].is_null());
    assert!(alone["hyperparameters"]["rating.first"].is_number());
}

#[test]
fn labels_are_answers() {
    let lab = Lab::new();
    lab.write("labels.csv", "item,label\nt1,no\nt2,no\nt4,yes\nt6,yes\n");
    let alone = lab.json("fit items.csv labels.csv --kernel se");
    assert_eq!((&alone["answers"]["labels"], &alone["answers"]["comparisons"]), (&4.into(), &0.into()));
    let both = lab.text("fit items.csv duels.csv --kernel se --also labels.csv");
    assert!(both.contains("4 labels"), "{both}");
    lab.write("labels.csv", "item,label\nt1,no\nt2,0\n");
    let said = lab.error("fit items.csv labels.csv");
    assert!(said.contains("every label in labels.csv is \"no\""), "{said}");
}

#[test]
fn people_who_err() {
    let lab = Lab::new();
    lab.write("duels.csv", GRADED);
    let learned = |flags: &str| {
        let fit = lab.json(&format!("fit items.csv duels.csv --kernel se {flags}"));
        fit["hyperparameters"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert!(learned("--lapse learn").contains(&"lapse".to_owned()));
    assert!(!learned("--lapse 0.1").contains(&"lapse".to_owned()));
    assert!(learned("--bias").contains(&"bias".to_owned()));
    assert!(learned("--user-noise").contains(&"factor[ann]".to_owned()));
    let lapses = learned("--lapse by-user");
    assert!(
        lapses.contains(&"lapse".to_owned()) && lapses.contains(&"lapse.odds[ann]".to_owned()),
        "{lapses:?}"
    );
    learned("--link logistic --lapse 0.05 --bias");
    lab.write("duels.csv", "winner,loser\nt1,t2\n");
    assert_eq!(
        lab.error("fit items.csv duels.csv --position-bias"),
        "--position-bias needs to know which item was on the left, and duels.csv has no such column; write left,right,outcome"
    );
    assert_eq!(
        lab.error("fit items.csv duels.csv --user-noise"),
        "--user-noise needs a column \"user\" with at least two users, and duels.csv has none"
    );
    assert_eq!(
        lab.error("fit items.csv duels.csv --lapse by-user"),
        "--lapse by-user needs a column \"user\" with at least two users, and duels.csv has none"
    );
    let streamed = lab.json("fit items.csv duels.csv --inference streaming --lapse learn");
    assert!(streamed["hyperparameters"]["lapse"].is_number());
}

/// Ten answers of which inference with lapses once made a log evidence of +28.
#[test]
fn lapses_leave_the_evidence_in_its_range() {
    let lab = Lab::new();
    lab.write("it.csv", "item,x\ni0,1.911\ni1,0.809\ni2,0.123\ni3,0.05\ni4,2.44\n");
    lab.write(
        "co.csv",
        "left,right,outcome\ni2,i4,left\ni2,i4,right\ni2,i0,left\ni2,i0,left\ni0,i1,right\ni0,i1,right\n\
         i4,i3,right\ni3,i2,right\ni2,i3,tie\ni1,i0,left\n",
    );
    let evidence = |fit: &serde_json::Value| fit["log_evidence"].as_f64().unwrap();
    let plain = lab.json("fit it.csv co.csv");
    let lapses = lab.json("fit it.csv co.csv --lapse 0.05");
    assert_eq!(lapses["converged"], true);
    assert!((evidence(&lapses) - evidence(&plain)).abs() < 2.0, "{lapses}");
}

/// Users' noises with lapses: the file once had a residual of `null`, and could not be read.
#[test]
fn a_model_of_noisy_users_can_be_read_again() {
    let lab = Lab::new();
    lab.write("it.csv", "item,x\na,0\nb,0.7\nc,1.1\nd,2\n");
    lab.write(
        "co.csv",
        "left,right,outcome,noise,user\na,b,left,1,u\nb,c,tie,2,v\nc,d,right,0.5,u\na,d,much left,1,v\nb,d,left,3,w\n\
         a,c,a little left,0.2,u\nd,b,much right,1,v\nc,a,left,1,w\na,b,left,2,u\n",
    );
    let fit = lab.json("fit it.csv co.csv --kernel se --user-noise --lapse 0.05 -o m.rather");
    assert!(
        fit["log_evidence"].as_f64().unwrap() < 0.0 && fit["residual"].as_f64().unwrap() <= 1e-3,
        "{fit}"
    );
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
}

/// Forty answers at odds with each other, some of them said with hardly any noise.
const AT_ODDS: &str = "left,right,outcome,noise\n\
    t0,t7,right,0.5\nt6,t9,right,2\nt1,t6,left,3\nt3,t6,right,2\nt3,t6,left,2\nt3,t6,right,0.5\nt0,t3,left,1\n\
    t4,t6,right,3\nt3,t8,right,1\nt3,t8,right,0.5\nt3,t8,left,1\nt3,t8,left,0.5\nt0,t1,left,3\nt1,t7,left,3\n\
    t1,t8,right,3\nt1,t8,left,3\nt2,t5,right,0.2\nt7,t8,left,3\nt7,t8,left,2\nt4,t9,left,3\nt2,t9,right,2\n\
    t0,t2,left,3\nt0,t2,right,0.5\nt0,t4,right,0.5\nt0,t4,left,2\nt0,t4,right,0.5\nt1,t4,right,3\nt2,t3,left,1\n\
    t4,t8,right,2\nt3,t5,right,0.2\nt3,t5,right,0.5\nt1,t3,right,0.5\nt7,t9,left,2\nt3,t9,right,2\nt2,t7,right,0.5\n\
    t5,t8,left,0.2\nt8,t9,right,2\nt3,t4,right,0.5\nt0,t9,right,2\nt5,t9,left,0.5\n";

/// Where no approximation finds a posterior there is no model, and a sentence says so.
#[test]
fn what_cannot_be_trusted_is_no_model() {
    let lab = Lab::new();
    lab.write("it.csv", "item,x\nt0,1.535\nt1,2.851\nt2,0.432\nt3,2.846\nt4,0.935\nt5,1.270\nt6,2.483\nt7,1.228\nt8,1.649\nt9,0.083\n");
    lab.write("co.csv", AT_ODDS);
    let fixed = "--kernel se --lapse 0.05 --fix variance=1e4 --fix lengthscale=0.1 --fix noise=1";
    // Features of low rank have parallel sweeps only, which do not settle here.
    let run = lab.run(&format!("fit it.csv co.csv --inducing-points 10 {fixed} -o m.rather"));
    assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(run.stderr.contains("error: ") && run.stderr.contains("no reliable posterior"), "{}", run.stderr);
    assert!(!lab.path("m.rather").exists());
    let fit = lab.json(&format!("fit it.csv co.csv {fixed} -o m.rather"));
    assert!(
        fit["log_evidence"].as_f64().unwrap() < 0.0 && fit["residual"].as_f64().unwrap() <= 1e-3,
        "{fit}"
    );
    assert_eq!(lab.ranking("m.rather"), fit["ranking"]);
}

/// Outcomes are called as the table calls them, in the order of strength, wherever they are shown.
#[test]
fn outcomes_are_called_as_the_table_calls_them() {
    let lab = Lab::new();
    let table = |words: &[&str]| {
        let row = |(i, word): (usize, &&str)| format!("t{},t{},{word}\n", 1 + i % 3, 2 + (i + i / 3) % 4);
        let rows: String = words.iter().cycle().take(12).enumerate().map(row).collect();
        "left,right,outcome\n".to_owned()
            + &rows.lines().filter(|l| l[..2] != l[3..5]).map(|l| format!("{l}\n")).collect::<String>()
    };
    lab.write("pairs.csv", "left,right\nt5,t1\nt3,t4\n");
    for (said, named) in [
        (
            &["a little left", "left", "much left", "tie", "right"][..],
            &["much left", "left", "a little left", "tie", "a little right", "right", "much right"][..],
        ),
        (
            &["a little left", "much left", "much right"],
            &["much left", "a little left", "a little right", "much right"],
        ),
        (&["left", ">>", "<"], &["much left", "left", "right", "much right"]),
        (&["left", "very much right"], &["very much left", "left", "right", "very much right"]),
        (&["slightly left", "=", "slightly right"], &["a little left", "tie", "a little right"]),
    ] {
        lab.write("duels.csv", table(said));
        lab.text("fit items.csv duels.csv --kernel se -o m.rather --quiet");
        let json = lab.text("predict m.rather pairs.csv --json");
        let first: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let outcomes = first[0]["outcomes"].as_object().unwrap();
        let listed = json.split("\"outcomes\"").nth(1).unwrap();
        let places: Vec<usize> =
            named.iter().map(|name| listed.find(&format!("\"{name}\"")).unwrap()).collect();
        assert!(places.is_sorted() && outcomes.len() == named.len(), "{json}");
        let csv = lab.text("predict m.rather pairs.csv --csv");
        let of: String = named.iter().map(|name| format!(",probability of {name}")).collect();
        let header = csv.lines().next().unwrap();
        assert!(header.starts_with(&format!("left,right,probability{of},")), "{header}");
        let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        let tie = usize::from(named.contains(&"tie"));
        assert_eq!(row.len(), 3 + named.len() + tie + 3);
        for (name, cell) in named.iter().zip(&row[3..]) {
            assert_eq!(cell.parse::<f64>().unwrap(), outcomes[*name].as_f64().unwrap(), "{name}");
        }
        let text = lab.text("predict m.rather pairs.csv");
        let header = text.lines().next().unwrap().split("left is preferred").nth(1).unwrap();
        let places: Vec<usize> =
            named.iter().map(|name| header.find(&format!("  {name}")).unwrap()).collect();
        assert!(places.is_sorted(), "{header}");
    }
}

/// Sharper probabilities sharpen all that may be said, and nothing where people lapse; suggestions are scored by all that may be said.
#[test]
fn what_cannot_be_honoured_is_said() {
    let lab = Lab::new();
    lab.write("duels.csv", GRADED);
    lab.write("pairs.csv", "left,right\nt5,t1\n");
    lab.text("fit items.csv duels.csv --kernel se -o m.rather --quiet");
    let [plain, sharp] = ["", " --sharp"].map(|flag| lab.json(&format!("predict m.rather pairs.csv{flag}")));
    assert_ne!(plain[0]["outcomes"]["left"], sharp[0]["outcomes"]["left"]);
    let outcomes = sharp[0]["outcomes"].as_object().unwrap();
    assert!((outcomes.values().map(|p| p.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-8);
    let next = &lab.json("suggest m.rather --acquisition entropy -n 1")[0];
    lab.write(
        "next.csv",
        format!("left,right\n{},{}\n", next["left"].as_str().unwrap(), next["right"].as_str().unwrap()),
    );
    let predicted = lab.json("predict m.rather next.csv");
    let said = predicted[0]["outcomes"].as_object().unwrap().values().map(|p| p.as_f64().unwrap());
    let entropy = said.map(|p| -p * p.log2()).sum::<f64>();
    assert!((next["score"].as_f64().unwrap() - entropy).abs() < 1e-6, "{next} {predicted}");
    lab.text("fit items.csv duels.csv --kernel se --ties drop --lapse 0.1 -o m.rather --quiet");
    assert!(
        lab.error("predict m.rather pairs.csv --sharp")
            .contains("ratios of evidences need the default response model")
    );
    let found = lab.json("check m.rather --samples 400");
    assert_eq!((&found["items"], &found["sharp"]), (&5.into(), &serde_json::Value::Null));
}
